//! A movie as H.264 in MP4.

use super::{Sink, Store};
use crate::canvas::Picture;
use crate::error::RenderError;
use crate::view::Size;
use mp4::{AvcConfig, Bytes, FourCC, MediaConfig, Mp4Config, Mp4Sample, Mp4Writer, TrackConfig, TrackType};
use openh264::OpenH264API;
use openh264::encoder::{
    Complexity, Encoder, EncoderConfig, FrameRate, IntraFramePeriod, RateControlMode, UsageType, VuiConfig,
};
use openh264::formats::YUVSlices;
use std::path::{Path, PathBuf};

/// Ticks of the clock per frame. The file and its track share one clock: with two, the writer would
/// round each frame on its own, and the length of the movie would drift.
const TICKS: u32 = 512;

/// The only track.
const TRACK: u32 = 1;

pub(super) struct Mp4File {
    path: PathBuf,
    /// None once the movie is finished.
    writer: Option<Mp4Writer<Store>>,
    encoder: Encoder,
    yuv: Yuv,
    size: Size,
    timescale: u32,
    count: u64,
}

impl std::fmt::Debug for Mp4File {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Mp4File").field("path", &self.path).field("count", &self.count).finish_non_exhaustive()
    }
}

impl Mp4File {
    pub(super) fn new(store: Store, size: Size, fps: u32) -> Result<Mp4File, RenderError> {
        let path = store.name();
        let timescale = TICKS * fps;
        let brand = |name: &[u8; 4]| FourCC::from(*name);
        let config = Mp4Config {
            major_brand: brand(b"isom"),
            minor_version: 512,
            compatible_brands: [b"isom", b"iso2", b"avc1", b"mp41"].map(brand).to_vec(),
            timescale,
        };
        let writer = Mp4Writer::write_start(store, &config).map_err(|error| muxing(&path, error))?;
        let encoder = Encoder::with_api_config(OpenH264API::from_source(), encoder_config(fps))
            .map_err(|error| encoding(&path, error))?;
        Ok(Mp4File { path, writer: Some(writer), encoder, yuv: Yuv::new(size), size, timescale, count: 0 })
    }
}

/// Constant good quality, by switching off the control of the bit rate. The encoder's mode for
/// screens makes no smaller files of such pictures, and takes five times as long.
fn encoder_config(fps: u32) -> EncoderConfig {
    EncoderConfig::new()
        .usage_type(UsageType::CameraVideoRealTime)
        .rate_control_mode(RateControlMode::Off)
        .complexity(Complexity::Low)
        .max_frame_rate(FrameRate::from_hz(fps as f32))
        // A frame that is skipped would be missing from the movie.
        .skip_frames(false)
        .background_detection(false)
        .adaptive_quantization(false)
        // Players can start again every two seconds.
        .intra_frame_period(IntraFramePeriod::from_num_frames(2 * fps))
        .vui(VuiConfig::bt709())
}

fn encoding(path: &Path, error: openh264::Error) -> RenderError {
    RenderError::Encode { path: path.to_owned(), reason: error.to_string() }
}

fn muxing(path: &Path, error: mp4::Error) -> RenderError {
    match error {
        mp4::Error::IoError(error) => RenderError::Write { path: path.to_owned(), error },
        other => RenderError::Encode { path: path.to_owned(), reason: other.to_string() },
    }
}

/// The unit's kind, from its first byte.
const SEQUENCE_PARAMETERS: u8 = 7;
const PICTURE_PARAMETERS: u8 = 8;
const KEY_SLICE: u8 = 5;

impl Sink for Mp4File {
    fn frame(&mut self, picture: Picture<'_>) -> Result<(), RenderError> {
        let Some(writer) = &mut self.writer else { return Ok(()) };
        self.yuv.read(picture.rgba);
        let stream = self.encoder.encode(&self.yuv.slices()).map_err(|error| encoding(&self.path, error))?;
        // The file keeps parameters in its head, and the length of each unit in front of it.
        let (mut sample, mut sequence, mut parameters, mut is_sync) = (Vec::new(), None, None, false);
        for layer in (0..stream.num_layers()).filter_map(|i| stream.layer(i)) {
            for unit in (0..layer.nal_count()).filter_map(|i| layer.nal_unit(i)) {
                let unit = without_start_code(unit);
                match unit.first().map_or(0, |first| first & 31) {
                    SEQUENCE_PARAMETERS => sequence = Some(unit.to_vec()),
                    PICTURE_PARAMETERS => parameters = Some(unit.to_vec()),
                    kind => {
                        is_sync |= kind == KEY_SLICE;
                        sample.extend_from_slice(&(unit.len() as u32).to_be_bytes());
                        sample.extend_from_slice(unit);
                    }
                }
            }
        }
        if self.count == 0 {
            let (Some(seq_param_set), Some(pic_param_set)) = (sequence, parameters) else {
                let reason = "the encoder gave no parameters with its first frame".to_owned();
                return Err(RenderError::Encode { path: self.path.clone(), reason });
            };
            let track = TrackConfig {
                track_type: TrackType::Video,
                timescale: self.timescale,
                language: "und".to_owned(),
                media_conf: MediaConfig::AvcConfig(AvcConfig {
                    width: self.size.width() as u16,
                    height: self.size.height() as u16,
                    seq_param_set,
                    pic_param_set,
                }),
            };
            writer.add_track(&track).map_err(|error| muxing(&self.path, error))?;
        }
        if sample.is_empty() {
            let reason = format!("the encoder dropped frame {}", self.count + 1);
            return Err(RenderError::Encode { path: self.path.clone(), reason });
        }
        let sample = Mp4Sample {
            start_time: self.count * u64::from(TICKS),
            duration: TICKS,
            rendering_offset: 0,
            is_sync,
            bytes: Bytes::from(sample),
        };
        writer.write_sample(TRACK, &sample).map_err(|error| muxing(&self.path, error))?;
        self.count += 1;
        Ok(())
    }

    fn finish(&mut self) -> Result<Vec<u8>, RenderError> {
        let Some(mut writer) = self.writer.take() else { return Ok(Vec::new()) };
        writer.write_end().map_err(|error| muxing(&self.path, error))?;
        writer.into_writer().finish()
    }
}

/// A unit of the stream without the zeros and the one that mark its start.
fn without_start_code(unit: &[u8]) -> &[u8] {
    let zeros = unit.iter().take_while(|&&byte| byte == 0).count();
    if unit.get(zeros) == Some(&1) { &unit[zeros + 1..] } else { unit }
}

/// A picture as the encoder takes it: brightness of each pixel, colour of each square of four.
struct Yuv {
    width: usize,
    height: usize,
    y: Vec<u8>,
    u: Vec<u8>,
    v: Vec<u8>,
}

impl Yuv {
    fn new(size: Size) -> Yuv {
        let (width, height) = (size.width() as usize, size.height() as usize);
        let quarter = width / 2 * (height / 2);
        Yuv { width, height, y: vec![0; width * height], u: vec![0; quarter], v: vec![0; quarter] }
    }

    /// BT.709, the colour space of high-definition video, with the limited range that all players expect.
    fn read(&mut self, rgba: &[u8]) {
        // Weights in 65536ths; brightness spans 16 to 235, colour 16 to 240.
        let luma = |r: i32, g: i32, b: i32| ((11_966 * r + 40_254 * g + 4_064 * b + 32_768) >> 16) + 16;
        let width = self.width;
        for (line, out) in rgba.chunks_exact(4 * width).zip(self.y.chunks_exact_mut(width)) {
            for (pixel, y) in line.chunks_exact(4).zip(out) {
                *y = luma(pixel[0].into(), pixel[1].into(), pixel[2].into()) as u8;
            }
        }
        let half = width / 2;
        for (row, lines) in rgba.chunks_exact(8 * width).enumerate() {
            let (upper, lower) = lines.split_at(4 * width);
            let out = row * half..(row + 1) * half;
            let colors = self.u[out.clone()].iter_mut().zip(&mut self.v[out]);
            for ((upper, lower), (u, v)) in upper.chunks_exact(8).zip(lower.chunks_exact(8)).zip(colors) {
                let sum =
                    |i: usize| [upper[i], upper[i + 4], lower[i], lower[i + 4]].map(i32::from).iter().sum::<i32>();
                let (r, g, b) = (sum(0), sum(1), sum(2));
                *u = (((-6_596 * r - 22_189 * g + 28_785 * b + 131_072) >> 18) + 128) as u8;
                *v = (((28_785 * r - 26_145 * g - 2_640 * b + 131_072) >> 18) + 128) as u8;
            }
        }
    }

    fn slices(&self) -> YUVSlices<'_> {
        let half = self.width / 2;
        YUVSlices::new((&self.y, &self.u, &self.v), (self.width, self.height), (self.width, half, half))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn start_codes_are_removed() {
        assert_eq!(without_start_code(&[0, 0, 0, 1, 0x67, 1]), [0x67, 1]);
        assert_eq!(without_start_code(&[0, 0, 1, 0x68]), [0x68]);
        assert_eq!(without_start_code(&[0x65, 0, 0, 1]), [0x65, 0, 0, 1]);
    }

    #[test]
    fn colours_in_yuv() {
        let size = Size::new(16, 16).unwrap();
        let of = |r: u8, g: u8, b: u8| {
            let mut yuv = Yuv::new(size);
            yuv.read(&[r, g, b, 255].repeat(256));
            (yuv.y[77], yuv.u[33], yuv.v[33])
        };
        assert_eq!(of(0, 0, 0), (16, 128, 128));
        assert_eq!(of(255, 255, 255), (235, 128, 128));
        assert_eq!(of(255, 0, 0), (63, 102, 240));
        assert_eq!(of(0, 0, 255), (32, 240, 118));
    }
}
