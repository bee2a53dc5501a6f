//! Paths in pieces.

use carom2d::math::Vec2;

/// How long dashes are, and the gaps between them, in pixels. Both are above zero.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pattern {
    pub(super) dash: f32,
    pub(super) gap: f32,
}

impl Pattern {
    /// The pattern of a line of some width, the same as in pictures.
    pub(super) fn of_width(width: f32) -> Pattern {
        Pattern { dash: 3.5 * width, gap: 2.5 * width }
    }

    /// Length of a dash and a gap.
    pub(super) fn period(self) -> f32 {
        self.dash + self.gap
    }

    /// The dashes along a path, each handed out as a path of its own. The pattern begins `start` pixels
    /// before the path; `piece` is memory to work with.
    pub(super) fn cut(self, path: &[Vec2], start: f64, piece: &mut Vec<Vec2>, mut hand_out: impl FnMut(&[Vec2])) {
        let phase = (start % f64::from(self.period())) as f32;
        let mut inked = phase < self.dash;
        let mut left = if inked { self.dash - phase } else { self.period() - phase };
        piece.clear();
        if inked {
            piece.extend(path.first());
        }
        for pair in path.windows(2) {
            let (along, length) = ((pair[1] - pair[0]).normalize_or_zero(), (pair[1] - pair[0]).length());
            let mut done = 0.0;
            while length - done > left {
                done += left;
                piece.push(pair[0] + along * done);
                if inked {
                    hand_out(piece);
                    piece.clear();
                }
                inked = !inked;
                left = if inked { self.dash } else { self.gap };
            }
            left -= length - done;
            if inked {
                piece.push(pair[1]);
            }
        }
        if piece.len() > 1 {
            hand_out(piece);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use carom2d::math::vec2;

    fn pieces(path: &[Vec2], start: f64) -> Vec<Vec<Vec2>> {
        let mut pieces = Vec::new();
        Pattern { dash: 3.0, gap: 2.0 }.cut(path, start, &mut Vec::new(), |piece| pieces.push(piece.to_vec()));
        pieces
    }

    #[test]
    fn goes_on_around_corners() {
        let path = [vec2(0.0, 0.0), vec2(6.0, 0.0), vec2(6.0, 6.0)];
        let expected = [
            vec![vec2(0.0, 0.0), vec2(3.0, 0.0)],
            vec![vec2(5.0, 0.0), vec2(6.0, 0.0), vec2(6.0, 2.0)],
            vec![vec2(6.0, 4.0), vec2(6.0, 6.0)],
        ];
        assert_eq!(pieces(&path, 0.0), expected);
    }

    #[test]
    fn begins_anywhere_in_the_pattern() {
        let path = [vec2(0.0, 0.0), vec2(4.0, 0.0)];
        assert_eq!(pieces(&path, 1.0), [vec![vec2(0.0, 0.0), vec2(2.0, 0.0)]]);
        assert_eq!(pieces(&path, 5.0e6 + 4.0), [vec![vec2(1.0, 0.0), vec2(4.0, 0.0)]]);
        assert!(pieces(&[], 0.0).is_empty());
        assert!(pieces(&path[..1], 0.0).is_empty());
    }
}
