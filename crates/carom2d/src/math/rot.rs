use super::{Vec2, atan2, sin_cos, vec2};

/// A rotation in the plane, kept as the cosine and sine of its angle.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
pub struct Rot {
    /// Cosine of the angle.
    pub c: f32,
    /// Sine of the angle.
    pub s: f32,
}

impl Rot {
    /// No rotation.
    pub const IDENTITY: Rot = Rot { c: 1.0, s: 0.0 };

    /// The rotation by `angle` radians, counter-clockwise.
    #[inline]
    pub fn from_angle(angle: f32) -> Rot {
        let (s, c) = sin_cos(angle);
        Rot { c, s }
    }

    /// The angle in (-pi, pi].
    #[inline]
    pub fn angle(self) -> f32 {
        atan2(self.s, self.c)
    }

    /// `self` after `other`: rotates by the sum of both angles.
    #[inline]
    pub fn compose(self, other: Rot) -> Rot {
        Rot { c: self.c * other.c - self.s * other.s, s: self.s * other.c + self.c * other.s }
    }

    /// `other` as seen from `self`: rotates by the angle of `other` minus that of `self`.
    #[inline]
    pub fn inv_mul(self, other: Rot) -> Rot {
        Rot { c: self.c * other.c + self.s * other.s, s: self.c * other.s - self.s * other.c }
    }

    /// The rotation the other way round.
    #[inline]
    pub fn inverse(self) -> Rot {
        Rot { c: self.c, s: -self.s }
    }

    /// `v` rotated.
    #[inline]
    pub fn rotate(self, v: Vec2) -> Vec2 {
        vec2(self.c * v.x - self.s * v.y, self.s * v.x + self.c * v.y)
    }

    /// `v` rotated back.
    #[inline]
    pub fn inv_rotate(self, v: Vec2) -> Vec2 {
        vec2(self.c * v.x + self.s * v.y, -self.s * v.x + self.c * v.y)
    }

    /// The rotation after turning by a small angle (radians).
    ///
    /// Uses the half-angle tangent `t = tan(angle / 2)` to third order: `(1 - t^2, 2t) / (1 + t^2)`
    /// is a unit rotation by `2 atan(t)`. The error is of fifth order: 3e-8 rad at 0.1 rad.
    #[inline]
    pub fn turned(self, angle: f32) -> Rot {
        let half = 0.5 * angle;
        let t = half + half * half * half * (1.0 / 3.0);
        let inv = 1.0 / (1.0 + t * t);
        let c = (1.0 - t * t) * inv;
        let s = 2.0 * t * inv;
        Rot { c, s }.compose(self).normalized()
    }

    /// Several rotations [turned](Rot::turned), with the same bits: side by side, four take hardly longer than one.
    #[inline]
    pub(crate) fn turned_all<const N: usize>(rotations: [Rot; N], angles: [f32; N]) -> [Rot; N] {
        let (mut c, mut s, mut length) = ([0.0; N], [0.0; N], [0.0_f32; N]);
        for i in 0..N {
            let half = 0.5 * angles[i];
            let t = half + half * half * half * (1.0 / 3.0);
            let inv = 1.0 / (1.0 + t * t);
            let turn = Rot { c: (1.0 - t * t) * inv, s: 2.0 * t * inv };
            (c[i], s[i]) =
                (turn.c * rotations[i].c - turn.s * rotations[i].s, turn.s * rotations[i].c + turn.c * rotations[i].s);
            length[i] = (c[i] * c[i] + s[i] * s[i]).sqrt();
        }
        if !length.iter().all(|&length| length > 0.0) {
            return std::array::from_fn(|i| Rot { c: c[i], s: s[i] }.normalized());
        }
        for i in 0..N {
            let inv = 1.0 / length[i];
            (c[i], s[i]) = (c[i] * inv, s[i] * inv);
        }
        std::array::from_fn(|i| Rot { c: c[i], s: s[i] })
    }

    /// The same direction with unit length; the identity where there is no direction.
    #[inline]
    pub fn normalized(self) -> Rot {
        let length = (self.c * self.c + self.s * self.s).sqrt();
        if length > 0.0 {
            let inv = 1.0 / length;
            Rot { c: self.c * inv, s: self.s * inv }
        } else {
            Rot::IDENTITY
        }
    }

    /// The local x axis in world coordinates.
    #[inline]
    pub fn x_axis(self) -> Vec2 {
        vec2(self.c, self.s)
    }

    /// The local y axis in world coordinates.
    #[inline]
    pub fn y_axis(self) -> Vec2 {
        vec2(-self.s, self.c)
    }

    /// True when both parts are finite.
    #[inline]
    pub fn is_finite(self) -> bool {
        self.c.is_finite() && self.s.is_finite()
    }
}

impl Default for Rot {
    fn default() -> Rot {
        Rot::IDENTITY
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rotations side by side are those one by one, to the bit, also where one of them is none at all.
    #[test]
    fn several_turn_as_one() {
        let mut rng = carom_core::Rng::new(7);
        for round in 0..10_000 {
            let mut number = |size: f32| rng.range(-size, size);
            let mut rotations = [0; 4].map(|_| Rot { c: number(1.0), s: number(1.0) });
            let mut angles = [0; 4].map(|_| number(1.0));
            if round % 10 == 0 {
                (rotations[round % 4], angles[round % 4]) = (Rot { c: 0.0, s: 0.0 }, 0.0);
            }
            let bits = |q: Rot| (q.c.to_bits(), q.s.to_bits());
            let all = Rot::turned_all(rotations, angles);
            for ((one, rotation), angle) in all.into_iter().zip(rotations).zip(angles) {
                assert_eq!(bits(one), bits(rotation.turned(angle)), "{rotation:?} by {angle}");
            }
        }
    }
}
