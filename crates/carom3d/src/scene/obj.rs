//! Triangle meshes in Wavefront's `.obj`, and the surfaces in its `.mtl`.
//!
//! Read are `v`, `vt`, `vn`, `f` (convex faces of any number of corners, places counted from 1 or back from the end),
//! `usemtl` and `mtllib`. Names of groups and objects change nothing. Everything else gives a note, or an error where
//! something would be missing from the mesh.

use super::{Color, SceneNote};
use crate::math::DVec3;
use carom_core::text::{Problem, line_and_column, shown};

/// Longer files are refused.
pub(super) const MAX_BYTES: usize = 32 << 20;
/// Meshes with more triangles are refused.
pub(super) const MAX_TRIANGLES: usize = 200_000;
/// So are those with more materials, or files of them: each is looked for among the others.
const MAX_MATERIALS: usize = 1000;
const MAX_LIBRARIES: usize = 16;

/// A corner of a triangle: places in the lists of the mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Corner {
    pub(super) position: usize,
    pub(super) texture: Option<usize>,
    pub(super) normal: Option<usize>,
}

/// A triangle and the place of its material in the mesh's list.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Triangle {
    pub(super) corners: [Corner; 3],
    pub(super) material: Option<usize>,
}

/// What a file holds.
#[derive(Clone, Debug, Default)]
pub(super) struct Mesh {
    pub(super) positions: Vec<DVec3>,
    pub(super) textures: Vec<[f64; 2]>,
    pub(super) normals: Vec<DVec3>,
    pub(super) triangles: Vec<Triangle>,
    /// Names of materials that are used, and where they are first.
    pub(super) materials: Vec<(String, usize)>,
    /// Names of files with materials, and where they stand.
    pub(super) libraries: Vec<(String, usize)>,
    pub(super) notes: Vec<SceneNote>,
}

/// A material of a `.mtl`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct MeshMaterial {
    pub(super) name: String,
    pub(super) ambient: Option<Color>,
    pub(super) diffuse: Option<Color>,
    pub(super) specular: Option<Color>,
    pub(super) shininess: Option<f64>,
    /// The file with the picture, and where it stands.
    pub(super) texture: Option<(String, usize)>,
}

/// A word of a line and where it stands.
#[derive(Clone, Copy, Debug)]
struct Word<'a> {
    text: &'a str,
    offset: usize,
}

impl Word<'_> {
    fn problem(&self, expected: &str) -> Problem {
        Problem::at(self.offset, format!("expected {expected}, found {}", shown(self.text)))
    }

    fn number(&self) -> Result<f64, Problem> {
        let value: f64 = self.text.parse().map_err(|_| self.problem("a number"))?;
        if value.is_finite() { Ok(value) } else { Err(self.problem("a finite number")) }
    }
}

/// Hands out the statements of a text one by one: words of a line without its comment. A `\` at the end of a line joins it
/// with the next.
fn for_statements<'a>(text: &'a str, mut take: impl FnMut(&[Word<'a>]) -> Result<(), Problem>) -> Result<(), Problem> {
    let mut words: Vec<Word<'a>> = Vec::new();
    let mut start = 0;
    for line in text.split('\n') {
        let content = line.split('#').next().unwrap_or_default();
        let trimmed = content.trim_end();
        let (content, goes_on) = match trimmed.strip_suffix('\\') {
            Some(content) if content.len() + 1 == trimmed.len() && !line.contains('#') => (content, true),
            _ => (content, false),
        };
        for text in content.split_whitespace() {
            // A part of the line, so that its address tells where it is.
            let offset = start + (text.as_ptr() as usize - line.as_ptr() as usize);
            words.push(Word { text, offset });
        }
        start += line.len() + 1;
        if !goes_on && !words.is_empty() {
            take(&words)?;
            words.clear();
        }
    }
    if words.is_empty() { Ok(()) } else { take(&words) }
}

fn note(text: &str, offset: usize, message: impl Into<String>) -> SceneNote {
    let (line, column) = line_and_column(text.as_bytes(), offset);
    SceneNote { file: None, line, column, message: message.into() }
}

fn numbers<const N: usize>(words: &[Word<'_>], what: &str) -> Result<[f64; N], Problem> {
    let mut out = [0.0; N];
    for (i, out) in out.iter_mut().enumerate() {
        let missing = || words[0].problem(&format!("{N} numbers after {what}"));
        *out = words.get(i + 1).ok_or_else(missing)?.number()?;
    }
    Ok(out)
}

/// Reads a mesh.
pub(super) fn parse(text: &str) -> Result<Mesh, Problem> {
    let mut mesh = Mesh::default();
    let mut material = None;
    // Kinds of statements that were noted already.
    let mut noted: Vec<&str> = Vec::new();
    for_statements(text, |words| {
        let (kind, offset) = (words[0].text, words[0].offset);
        match kind {
            "v" => mesh.positions.push(DVec3::from_array(numbers(words, "v")?)),
            "vn" => mesh.normals.push(DVec3::from_array(numbers(words, "vn")?)),
            "vt" => {
                let [u] = numbers(words, "vt")?;
                let v = words.get(2).map_or(Ok(0.0), Word::number)?;
                mesh.textures.push([u, v]);
            }
            "f" => mesh.add_face(words, material)?,
            "usemtl" => {
                let name = rest(text, words)?;
                let known = mesh.materials.iter().position(|other| other.0 == name);
                if known.is_none() && mesh.materials.len() == MAX_MATERIALS {
                    return Err(words[0].problem(&format!("no more than {MAX_MATERIALS} materials")));
                }
                material = Some(known.unwrap_or_else(|| {
                    mesh.materials.push((name, offset));
                    mesh.materials.len() - 1
                }));
            }
            "mtllib" => {
                let name = rest(text, words)?;
                if mesh.libraries.iter().all(|(other, _)| *other != name) {
                    if mesh.libraries.len() == MAX_LIBRARIES {
                        return Err(words[0].problem(&format!("no more than {MAX_LIBRARIES} files of materials")));
                    }
                    mesh.libraries.push((name, offset));
                }
            }
            // Names, and groups of smooth shading, which the normals tell as well.
            "o" | "g" | "s" => {}
            "l" | "p" => {
                if !noted.contains(&kind) {
                    noted.push(kind);
                    mesh.notes.push(note(text, offset, "lines and points are not drawn"));
                }
            }
            "vp" | "curv" | "curv2" | "surf" | "cstype" | "deg" | "bmat" => {
                return Err(words[0].problem("a mesh of flat faces; curves and free-form surfaces are not supported"));
            }
            _ => {
                if noted.len() < 16 && !noted.contains(&kind) {
                    noted.push(kind);
                    mesh.notes.push(note(text, offset, format!("{} is not known and left out", shown(kind))));
                }
            }
        }
        Ok(())
    })?;
    Ok(mesh)
}

/// What stands after the first word of a statement: a name may have blanks.
fn rest(text: &str, words: &[Word<'_>]) -> Result<String, Problem> {
    let (Some(first), Some(last)) = (words.get(1), words.last()) else {
        return Err(words[0].problem("a name after it"));
    };
    Ok(text[first.offset..last.offset + last.text.len()].to_owned())
}

impl Mesh {
    fn add_face(&mut self, words: &[Word<'_>], material: Option<usize>) -> Result<(), Problem> {
        if self.triangles.len() + words.len() > MAX_TRIANGLES + 1 {
            return Err(words[0].problem(&format!("no more than {MAX_TRIANGLES} triangles")));
        }
        let corners: Vec<Corner> = words[1..].iter().map(|word| self.corner(word)).collect::<Result<_, _>>()?;
        if corners.len() < 3 {
            return Err(words[0].problem(&format!("three corners or more, found {}", corners.len())));
        }
        if corners.len() > 3 && !self.is_convex(&corners) {
            return Err(words[0].problem("a convex face: cut others into triangles first"));
        }
        for pair in corners[1..].windows(2) {
            self.triangles.push(Triangle { corners: [corners[0], pair[0], pair[1]], material });
        }
        Ok(())
    }

    /// Do all corners turn the same way? Nearly straight ones do.
    fn is_convex(&self, corners: &[Corner]) -> bool {
        let at = |i: usize| self.positions[corners[i % corners.len()].position];
        let area = (1..corners.len() - 1).fold(DVec3::ZERO, |sum, i| sum + (at(i) - at(0)).cross(at(i + 1) - at(0)));
        let size = area.length();
        (0..corners.len()).all(|i| {
            let turn = (at(i + 1) - at(i)).cross(at(i + 2) - at(i + 1));
            turn.dot(area) >= -1.0e-6 * size * size
        })
    }

    /// `position`, `position/texture`, `position//normal` or `position/texture/normal`.
    fn corner(&self, word: &Word<'_>) -> Result<Corner, Problem> {
        let parts: Vec<&str> = word.text.split('/').collect();
        let place = |part: usize, count: usize| -> Result<Option<usize>, Problem> {
            let text = parts.get(part).copied().unwrap_or_default();
            if text.is_empty() && part > 0 {
                return Ok(None);
            }
            let number: i64 = text.parse().map_err(|_| word.problem("a corner such as 1, 1/2, 1//3 or 1/2/3"))?;
            let place = if number < 0 { count as i64 + number } else { number - 1 };
            let found = usize::try_from(place).ok().filter(|&place| place < count && number != 0);
            let expected = ["positions", "texture coordinates", "normals"][part];
            found.map(Some).ok_or_else(|| word.problem(&format!("one of the {count} {expected} above")))
        };
        if parts.len() > 3 {
            return Err(word.problem("a corner such as 1, 1/2, 1//3 or 1/2/3"));
        }
        Ok(Corner {
            position: place(0, self.positions.len())?.unwrap_or_default(),
            texture: place(1, self.textures.len())?,
            normal: place(2, self.normals.len())?,
        })
    }
}

/// Reads the materials of a `.mtl`, and what is to be said of it.
pub(super) fn parse_materials(text: &str) -> Result<(Vec<MeshMaterial>, Vec<SceneNote>), Problem> {
    let mut materials: Vec<MeshMaterial> = Vec::new();
    let (mut notes, mut noted): (Vec<SceneNote>, Vec<&str>) = Default::default();
    for_statements(text, |words| {
        let kind = words[0].text;
        if kind == "newmtl" {
            if materials.len() == MAX_MATERIALS {
                return Err(words[0].problem(&format!("no more than {MAX_MATERIALS} materials")));
            }
            materials.push(MeshMaterial { name: rest(text, words)?, ..MeshMaterial::default() });
            return Ok(());
        }
        let Some(material) = materials.last_mut() else { return Err(words[0].problem("newmtl first")) };
        let color = || -> Result<Color, Problem> {
            let [r, g, b] = numbers(words, "a colour")?;
            Ok(Color { r, g, b })
        };
        match kind {
            "Ka" => material.ambient = Some(color()?),
            "Kd" => material.diffuse = Some(color()?),
            "Ks" => material.specular = Some(color()?),
            "Ns" => material.shininess = Some(numbers::<1>(words, "Ns")?[0]),
            "map_Kd" => material.texture = Some((rest(text, words)?, words[0].offset)),
            // The model of light: there is one.
            "illum" => {}
            _ if noted.len() < 16 && !noted.contains(&kind) => {
                noted.push(kind);
                notes.push(note(text, words[0].offset, format!("{} is not drawn", shown(kind))));
            }
            _ => {}
        }
        Ok(())
    })?;
    Ok((materials, notes))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SQUARE: &str = "# a square\no it\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1\nvn 0 0 2\ns off\n\
        usemtl red paint\nf 1/1/1 2/2/1 3//1 \\\n -1\n";

    #[test]
    fn faces_become_triangles() {
        let mesh = parse(SQUARE).unwrap();
        assert_eq!((mesh.positions.len(), mesh.triangles.len()), (4, 2));
        let [first, second] = mesh.triangles[..] else { panic!("two") };
        assert_eq!(first.corners.map(|corner| corner.position), [0, 1, 2]);
        assert_eq!(second.corners.map(|corner| corner.position), [0, 2, 3]);
        assert_eq!(first.corners.map(|corner| corner.texture), [Some(0), Some(1), None]);
        assert_eq!(second.corners.map(|corner| corner.normal), [Some(0), Some(0), None]);
        assert_eq!((mesh.materials[first.material.unwrap()].0.as_str(), mesh.notes.len()), ("red paint", 0));
    }

    #[test]
    fn errors_say_where() {
        for (old, new, expected, at) in [
            ("v 1 1 0", "v 1 one 0", "expected a number, found \"one\"", (5, 5)),
            ("v 1 1 0", "v 1 1", "3 numbers", (5, 1)),
            ("v 1 1 0", "v 1 1 inf", "finite", (5, 7)),
            ("3//1", "5//1", "one of the 4 positions above", (12, 15)),
            ("3//1", "0//1", "one of the 4 positions", (12, 15)),
            ("3//1", "3//1/1", "a corner such as", (12, 15)),
            ("-1", "-5", "one of the 4 positions", (13, 2)),
            ("2/2/1", "2/3/1", "texture coordinates", (12, 9)),
            ("s off", "cstype bezier", "free-form", (10, 1)),
            ("1/1/1 2/2/1 3//1 \\\n -1", "1 2", "three corners or more, found 2", (12, 1)),
            ("v 1 1 0", "v 0.1 0.1 0", "convex", (12, 1)),
        ] {
            assert!(SQUARE.contains(old), "{old}");
            let text = SQUARE.replacen(old, new, 1);
            let error = parse(&text).expect_err(new).locate("square.obj", text.as_bytes());
            assert!(error.message.contains(expected), "{error}");
            assert_eq!((error.line, error.column), at, "{error}");
        }
    }

    #[test]
    fn what_is_not_drawn_is_noted_once() {
        let text = format!("{SQUARE}l 1 2\nl 2 3\np 1\nweight 7\nweight 8\n");
        let notes: Vec<String> = parse(&text).unwrap().notes.iter().map(ToString::to_string).collect();
        assert_eq!(notes.len(), 3, "{notes:?}");
        assert_eq!(notes[2], "17:1: \"weight\" is not known and left out");
    }

    #[test]
    fn materials_are_read() {
        let text = "newmtl a b\nKd 1 0.5 0\nNs 20\nmap_Kd some picture.png\nd 0.5\nillum 2\nnewmtl c\nKa 0 0 0\n";
        let (materials, notes) = parse_materials(text).unwrap();
        assert_eq!(materials.len(), 2);
        assert_eq!(materials[0].diffuse, Some(Color { r: 1.0, g: 0.5, b: 0.0 }));
        assert_eq!(materials[0].texture.as_ref().unwrap().0, "some picture.png");
        assert_eq!((materials[1].name.as_str(), notes.len()), ("c", 1));
        assert!(parse_materials("Kd 1 1 1").is_err() && parse_materials("newmtl\n").is_err());
    }
}
