//! The back end that makes SVG: a draw list as vector graphics, which keep their sharpness in print.
//!
//! Coordinates are pixels with y down, as in [`Canvas`](crate::Canvas). Numbers have three decimals: a thousandth of a pixel.

use crate::ball::Ball;
use crate::color::Rgba;
use crate::geometry::clip_line;
use crate::list::{DrawList, Item, Stroke, Style};
use crate::view::{Size, View};
use carom2d::math::{Vec2, vec2};
use std::io::{self, Write};

/// Writes a draw list that was made for this view as an SVG document of this size.
pub fn write_svg(out: &mut impl Write, list: &DrawList, view: &View, size: Size) -> io::Result<()> {
    let (width, height) = (size.width(), size.height());
    writeln!(
        out,
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">"#
    )?;
    if let Some(background) = list.background() {
        writeln!(out, r#"<rect width="{width}" height="{height}"{}/>"#, paint("fill", background))?;
    }
    for item in list.items() {
        write_item(out, item, view)?;
    }
    writeln!(out, "</svg>")
}

fn write_item(out: &mut impl Write, item: Item<'_>, view: &View) -> io::Result<()> {
    // SVG readers differ in what they do with numbers that are none: leave such things out.
    let at = |point: Vec2| view.to_pixels(point);
    match item {
        Item::Polygon { points, style } => {
            let corners: Vec<Vec2> = points.iter().map(|&point| at(point)).collect();
            if corners.iter().all(|corner| corner.is_finite()) {
                write!(out, r#"<polygon points=""#)?;
                for corner in &corners {
                    write!(out, "{},{} ", number(corner.x), number(corner.y))?;
                }
                writeln!(out, r#""{}/>"#, attributes(style))?;
            }
        }
        Item::Circle { center, radius, style } => write_circle(out, at(center), radius / view.pixel(), style)?,
        Item::Point { at: place, radius, color } => write_circle(out, at(place), radius, Style::filled(color))?,
        Item::Capsule { a, b, radius, style } => write_capsule(out, at(a), at(b), radius / view.pixel(), style)?,
        Item::Line { a, b, stroke } => write_line(out, at(a), at(b), stroke, view)?,
        Item::Ball(ball) => write_ball(out, ball, view)?,
        Item::Text { at: place, anchor, text, size, color, halo } => {
            let place = at(place);
            if place.is_finite() {
                // Capital letters of common fonts are 0.7 of their size high.
                let (x, y) = (number(place.x), number(place.y + 0.7 * size * anchor.y));
                let align = if anchor.x < 0.25 {
                    "start"
                } else if anchor.x > 0.75 {
                    "end"
                } else {
                    "middle"
                };
                let (fill, rim) = (paint("fill", color), paint("stroke", halo));
                writeln!(
                    out,
                    r#"<text x="{x}" y="{y}" font-family="sans-serif" font-size="{}" text-anchor="{align}" paint-order="stroke" stroke-width="3"{fill}{rim}>{}</text>"#,
                    number(size),
                    escaped(text)
                )?;
            }
        }
    }
    Ok(())
}

fn write_circle(out: &mut impl Write, center: Vec2, radius: f32, style: Style) -> io::Result<()> {
    if !(center.is_finite() && radius.is_finite()) {
        return Ok(());
    }
    let (x, y, r) = (number(center.x), number(center.y), number(inner(radius, style)));
    writeln!(out, r#"<circle cx="{x}" cy="{y}" r="{r}"{}/>"#, attributes(style))
}

/// A radius whose outline lies within the edge.
fn inner(radius: f32, style: Style) -> f32 {
    radius - style.outline.map_or(0.0, |stroke| 0.5 * stroke.width)
}

fn write_capsule(out: &mut impl Write, a: Vec2, b: Vec2, radius: f32, style: Style) -> io::Result<()> {
    let along = (b - a).normalize_or_zero();
    if !(a.is_finite() && b.is_finite() && radius.is_finite()) {
        return Ok(());
    }
    if along == Vec2::ZERO {
        return write_circle(out, a, radius, style);
    }
    let radius = inner(radius, style);
    let side = vec2(-along.y, along.x) * radius;
    let [p, q, r, s] = [a + side, b + side, b - side, a - side].map(|c| format!("{} {}", number(c.x), number(c.y)));
    let arc = number(radius);
    writeln!(
        out,
        r#"<path d="M {p} L {q} A {arc} {arc} 0 0 0 {r} L {s} A {arc} {arc} 0 0 0 {p} Z"{}/>"#,
        attributes(style)
    )
}

fn write_line(out: &mut impl Write, a: Vec2, b: Vec2, stroke: Stroke, view: &View) -> io::Result<()> {
    let (beyond, size) = (Vec2::splat(64.0), vec2(view.width, view.height));
    let Some((a, b)) = clip_line(a, b, -beyond, size + beyond) else { return Ok(()) };
    let [x1, y1, x2, y2] = [a.x, a.y, b.x, b.y].map(number);
    writeln!(out, r#"<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke-linecap="round"{}/>"#, outline(stroke))
}

/// A lit ball as an ellipse of its colour where it faces the eye.
fn write_ball(out: &mut impl Write, ball: &Ball, view: &View) -> io::Result<()> {
    let (center, axes) = (view.to_pixels(ball.center), ball.axes.map(|axis| axis / view.pixel()));
    if !(center.is_finite() && axes[0].is_finite() && axes[1].is_finite()) {
        return Ok(());
    }
    let degrees = -carom_core::math::atan2(axes[0].y, axes[0].x).to_degrees();
    let (x, y, turn) = (number(center.x), number(center.y), number(degrees));
    let (rx, ry) = (number(axes[0].length()), number(axes[1].length()));
    let fill = paint("fill", ball.shade.at(Vec2::ZERO));
    writeln!(out, r#"<ellipse cx="{x}" cy="{y}" rx="{rx}" ry="{ry}" transform="rotate({turn} {x} {y})"{fill}/>"#)
}

fn attributes(style: Style) -> String {
    let fill = style.fill.map_or(r#" fill="none""#.to_owned(), |color| paint("fill", color));
    fill + &style.outline.map_or(String::new(), outline)
}

fn outline(stroke: Stroke) -> String {
    let width = number(stroke.width);
    let gap = number(2.0 * stroke.width);
    let dashes = if stroke.dashed { format!(r#" stroke-dasharray="{gap} {gap}""#) } else { String::new() };
    format!(r#"{} stroke-width="{width}"{dashes}"#, paint("stroke", stroke.color))
}

/// An attribute with a colour, and one with its opacity where it is not opaque.
fn paint(what: &str, color: Rgba) -> String {
    let Rgba { r, g, b, a } = color;
    let opacity =
        if a == 255 { String::new() } else { format!(r#" {what}-opacity="{}""#, number(f32::from(a) / 255.0)) };
    format!(r##" {what}="#{r:02x}{g:02x}{b:02x}"{opacity}"##)
}

/// With at most three decimals, and no more than needed.
fn number(value: f32) -> String {
    let text = format!("{value:.3}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// Text without what XML reserves or forbids.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            letter if letter.is_control() => safe.push(' '),
            letter => safe.push(letter),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;
    use carom_scenes::Camera;

    fn svg_of(list: &DrawList) -> String {
        let size = Size::new(200, 100).unwrap();
        let view = View::new(Camera { center: Vec2::ZERO, half_height: 1.0 }, size);
        let mut bytes = Vec::new();
        write_svg(&mut bytes, list, &view, size).unwrap();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn items_become_elements_in_their_order() {
        let mut list = DrawList::default();
        list.begin(Rgba::WHITE);
        list.circle(vec2(1.0, 0.5), 0.5, Style::filled(Rgba::new(255, 0, 16)));
        list.polygon([vec2(0.0, 0.0), vec2(1.0, 0.0), vec2(0.0, 1.0)], Style::filled(Rgba::BLACK.with_opacity(0.5)));
        list.line(vec2(-1.0, 0.0), vec2(1.0, 0.0), Stroke::dashed(Rgba::BLACK, 2.0));
        list.capsule(vec2(0.0, 0.0), vec2(1.0, 0.0), 0.1, Style::filled(Rgba::BLACK));
        list.text(Vec2::ZERO, Vec2::ZERO, "a < b & c", 10.0, Rgba::BLACK, Rgba::WHITE);
        let svg = svg_of(&list);
        let parts = [
            r#"<svg xmlns="http://www.w3.org/2000/svg" width="200" height="100" viewBox="0 0 200 100">"#,
            r##"<rect width="200" height="100" fill="#ffffff"/>"##,
            r##"<circle cx="150" cy="25" r="25" fill="#ff0010"/>"##,
            r##"<polygon points="100,50 150,50 100,0 " fill="#000000" fill-opacity="0.502"/>"##,
            r##"<line x1="50" y1="50" x2="150" y2="50" stroke-linecap="round" stroke="#000000" stroke-width="2" stroke-dasharray="4 4"/>"##,
            "<path d=\"M 100 ",
            ">a &lt; b &amp; c</text>",
            "</svg>",
        ];
        let mut rest = svg.as_str();
        for part in parts {
            let Some(at) = rest.find(part) else { panic!("no {part:?} in\n{rest}") };
            rest = &rest[at + part.len()..];
        }
    }

    #[test]
    fn numbers_that_are_none_are_left_out() {
        let mut list = DrawList::default();
        list.circle(Vec2::NAN, 1.0, Style::filled(Rgba::BLACK));
        list.circle(Vec2::ZERO, f32::INFINITY, Style::filled(Rgba::BLACK));
        list.polygon([Vec2::INFINITY, Vec2::ZERO, vec2(1.0, 0.0)], Style::filled(Rgba::BLACK));
        list.line(Vec2::NAN, Vec2::ZERO, Stroke::solid(Rgba::BLACK, 1.0));
        list.capsule(Vec2::NAN, Vec2::ZERO, 1.0, Style::filled(Rgba::BLACK));
        let svg = svg_of(&list);
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        assert_eq!(svg.lines().count(), 2, "{svg}");
    }
}
