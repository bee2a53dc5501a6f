//! Pictures and movies.

use crate::convert::{from_buffer, numpy};
use crate::error::value_error;
use crate::world::PyWorld;
use carom_render::{
    Canvas, Decor, Film, Format, Look, Settings, Size, Subject, Theme, View, encode_png, snapshot_through,
};
use carom_scenes::{About, Camera, SceneWorld};
use carom2d::math::{Aabb, Vec2, max, vec2};
use carom2d::{World, WorldDef};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes};
use std::path::Path;

/// A picture: `png()` has its bytes, `numpy()` its pixels, and notebooks show it.
///
/// >>> import carom
/// >>> picture = carom.World.scene("stack").draw((320, 180))
/// >>> picture.numpy().shape
/// (180, 320, 3)
#[pyclass(name = "Picture", module = "carom", frozen)]
pub(crate) struct PyPicture {
    size: Size,
    rgb: Vec<u8>,
}

impl PyPicture {
    pub(crate) fn of(canvas: &Canvas) -> PyPicture {
        let picture = canvas.picture();
        let rgb = picture.rgba.chunks_exact(4).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect();
        PyPicture { size: picture.size, rgb }
    }
}

#[pymethods]
impl PyPicture {
    /// Width and height in pixels.
    #[getter]
    fn size(&self) -> (u32, u32) {
        (self.size.width(), self.size.height())
    }

    /// The bytes of the picture as PNG.
    pub(crate) fn png<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| {
            let rgba: Vec<u8> = self.rgb.chunks_exact(3).flat_map(|rgb| [rgb[0], rgb[1], rgb[2], 255]).collect();
            let mut bytes = Vec::new();
            encode_png(&mut bytes, carom_render::Picture { size: self.size, rgba: &rgba }, true).map(|()| bytes)
        })?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Red, green and blue of each pixel: an array of shape (height, width, 3) of bytes.
    fn numpy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let bytes = PyByteArray::new(py, &self.rgb);
        let flat = from_buffer(py, &bytes, "u1")?;
        flat.call_method1("reshape", (self.size.height(), self.size.width(), 3))
    }

    #[pyo3(signature = (dtype = None, copy = None))]
    fn __array__<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<&Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let _ = copy;
        let array = self.numpy(py)?;
        match dtype.filter(|dtype| !dtype.is_none()) {
            Some(dtype) => numpy(py)?.call_method1("asarray", (array, dtype)),
            None => Ok(array),
        }
    }

    /// Writes the picture to a `.png` file.
    fn save(&self, py: Python<'_>, path: std::path::PathBuf) -> PyResult<()> {
        let bytes = self.png(py)?;
        std::fs::write(path, bytes.as_bytes())?;
        Ok(())
    }

    fn _repr_png_<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.png(py)
    }

    fn __repr__(&self) -> String {
        format!("<Picture, {} x {} pixels>", self.size.width(), self.size.height())
    }
}

/// How things are drawn, by words.
pub(crate) fn look(theme: &str, grid: bool) -> PyResult<Look> {
    let theme = match theme {
        "light" => Theme::Light,
        "dark" => Theme::Dark,
        _ => return Err(PyValueError::new_err(format!("theme is {theme:?}; expected \"light\" or \"dark\""))),
    };
    Ok(Look { theme, decor: if grid { Decor::Grid } else { Decor::None }, ..Look::default() })
}

/// A size in pixels, checked.
pub(crate) fn checked_size(size: (u32, u32)) -> PyResult<Size> {
    Size::new(size.0, size.1).map_err(value_error)
}

/// A camera that sees all shapes of a world, but for what is as good as endless beside the rest.
fn camera_of(world: &World, size: Size) -> Camera {
    let boxes: Vec<Aabb> = world.shapes().map(|id| world.shape(id).aabb()).collect();
    let mut sizes: Vec<f32> = boxes.iter().map(|aabb| aabb.half_perimeter()).collect();
    sizes.sort_by(f32::total_cmp);
    let typical = sizes.get(sizes.len() / 2).copied().unwrap_or(1.0);
    let shown = boxes.iter().filter(|aabb| aabb.half_perimeter() <= 50.0 * typical);
    let Some(all) = shown.copied().reduce(|all, aabb| all.union(&aabb)) else {
        return Camera { center: vec2(0.0, 0.0), half_height: 5.0 };
    };
    let half = all.half_extents();
    let aspect = size.width() as f32 / size.height() as f32;
    let half_height = 1.1 * max(max(half.y, half.x / aspect), 1.0e-3);
    Camera { center: all.center(), half_height }
}

/// What part of a run is seen.
fn view_of(world: &PyWorld, size: Size, center: Option<Vec2>, half_height: Option<f32>) -> PyResult<View> {
    if center.is_none() && half_height.is_none() && !world.own {
        return Ok(View::of_scene(&world.run, size));
    }
    let whole = if world.own { camera_of(&world.run.world, size) } else { world.run.about().camera };
    let camera =
        Camera { center: center.unwrap_or(whole.center), half_height: half_height.unwrap_or(whole.half_height) };
    if !(camera.center.is_finite() && camera.half_height > 0.0 && camera.half_height.is_finite()) {
        return Err(PyValueError::new_err("center and half_height take finite numbers, half_height above 0"));
    }
    Ok(View::new(camera, size))
}

/// A picture of a world.
pub(crate) fn of_world(
    py: Python<'_>,
    world: &PyWorld,
    size: (u32, u32),
    center: Option<Vec2>,
    half_height: Option<f32>,
    look: Look,
) -> PyResult<PyPicture> {
    let size = checked_size(size)?;
    let view = view_of(world, size, center, half_height)?;
    let run = &world.run;
    Ok(py.detach(|| PyPicture::of(&snapshot_through(run, &view, size, &look))))
}

/// Runs a world and films it. Returns how many frames there are, and how many steps were made.
pub(crate) fn record(
    py: Python<'_>,
    world: &mut PyWorld,
    path: &Path,
    seconds: f64,
    size: (u32, u32),
    fps: u32,
    look: Look,
) -> PyResult<(u32, u32)> {
    let size = checked_size(size)?;
    let format = Format::of(path).ok_or_else(|| {
        PyValueError::new_err(format!("{} does not end in .mp4, .gif or .png, and is no folder", path.display()))
    })?;
    if !(seconds > 0.0 && seconds.is_finite()) {
        return Err(PyValueError::new_err(format!("seconds is {seconds}; expected a number above 0")));
    }
    let settings = Settings { size, look, fps, seconds };
    let film = || Film::create(path, format, &settings);
    let steps = (seconds / world.run.about().dt).ceil() as u32;
    let frames = if world.own {
        // A world of the caller's has no camera: it is filmed as a scene that has one.
        let about = About { camera: camera_of(&world.run.world, size), ..world.run.about().clone() };
        let spare = World::new(WorldDef::default());
        let mut run = SceneWorld::new(about, std::mem::replace(&mut world.run.world, spare));
        std::mem::swap(&mut run.companions, &mut world.run.companions);
        let frames = py.detach(|| film().and_then(|film| shoot(film, &mut run, steps)));
        std::mem::swap(&mut run.companions, &mut world.run.companions);
        world.run.world = run.world;
        frames
    } else {
        let run = &mut world.run;
        py.detach(|| film().and_then(|film| shoot(film, run, steps)))
    };
    Ok((frames.map_err(value_error)?, steps))
}

fn shoot(mut film: Film, run: &mut SceneWorld, steps: u32) -> Result<u32, carom_render::RenderError> {
    for _ in 0..steps {
        film.before_step(Subject::from(&*run))?;
        run.step();
        film.after_step(Subject::from(&*run))?;
    }
    film.finish(Subject::from(&*run))
}
