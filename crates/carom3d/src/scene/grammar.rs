//! What the format knows, so that nothing else is left out in silence.

use super::xml::Element;

/// An element: its name, its attributes, and what may be inside.
struct Rule {
    name: &'static str,
    attributes: &'static [&'static str],
    children: &'static [Rule],
}

const fn of(name: &'static str, attributes: &'static [&'static str], children: &'static [Rule]) -> Rule {
    Rule { name, attributes, children }
}

const fn real(name: &'static str) -> Rule {
    of(name, &["v"], &[])
}

const fn integer(name: &'static str) -> Rule {
    of(name, &["i"], &[])
}

const fn vector(name: &'static str) -> Rule {
    of(name, &["x", "y", "z"], &[])
}

const fn color(name: &'static str) -> Rule {
    of(name, &["r", "g", "b"], &[])
}

const ORIENTATION: Rule = of("orientation", &["a", "x", "y", "z"], &[]);

static SCENE: Rule = of(
    "scene",
    &[],
    &[
        of("camera", &[], &[real("fov"), real("near_clip"), real("far_clip"), vector("position"), ORIENTATION]),
        color("background_color"),
        color("ambient_light"),
        real("refractive_index"),
        vector("gravity"),
        real("collision_damping"),
        of(
            "point_light",
            &[],
            &[
                vector("position"),
                color("color"),
                real("attenuation_constant"),
                real("attenuation_linear"),
                real("attenuation_quadratic"),
            ],
        ),
        of(
            "material",
            &["name", "texture"],
            &[color("ambient"), color("diffuse"), color("specular"), real("shininess"), real("refractive_index")],
        ),
        of("mesh", &["name", "filename"], &[]),
        of("vertex", &["name", "material"], &[vector("position"), vector("normal"), of("tex_coord", &["u", "v"], &[])]),
        of(
            "sphere",
            &["material"],
            &[
                vector("position"),
                ORIENTATION,
                vector("scale"),
                real("radius"),
                of(
                    "body",
                    &[],
                    &[
                        integer("id"),
                        real("mass"),
                        vector("position"),
                        ORIENTATION,
                        real("radius"),
                        vector("velocity"),
                        vector("angular_velocity"),
                    ],
                ),
            ],
        ),
        of(
            "triangle",
            // The surfaces are those of the corners.
            &["material"],
            &[
                vector("position"),
                of("vertex", &["name"], &[]),
                of("body", &[], &[integer("id"), vector("point_a"), vector("point_b"), vector("point_c")]),
            ],
        ),
        of("model", &["mesh", "material"], &[vector("position"), ORIENTATION, vector("scale")]),
        of("plane_body", &[], &[integer("id"), vector("position"), vector("normal")]),
        of(
            "spring",
            &[],
            &[
                real("constant"),
                real("equilibrium"),
                integer("body1"),
                integer("body2"),
                vector("offset1"),
                vector("offset2"),
                real("damping"),
            ],
        ),
    ],
);

/// Most notes of this kind: a file of something else entirely is told in a few.
const MOST: usize = 100;

/// Places and names of elements and attributes that the format does not know.
pub(super) fn unknown(root: &Element<'_>) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    look(root, &SCENE, &mut found);
    found
}

fn look(element: &Element<'_>, rule: &Rule, found: &mut Vec<(usize, String)>) {
    for attribute in &element.attributes {
        if found.len() < MOST && !rule.attributes.contains(&attribute.name) {
            found.push((attribute.offset, format!("attribute \"{}\" of <{}>", attribute.name, element.name)));
        }
    }
    for child in &element.children {
        match rule.children.iter().find(|rule| rule.name == child.name) {
            Some(rule) => look(child, rule, found),
            None if found.len() < MOST => {
                found.push((child.offset, format!("element <{}> inside <{}>", child.name, element.name)));
            }
            None => {}
        }
    }
}
