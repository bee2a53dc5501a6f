//! Eight boxes side by side against one.

/// How many boxes are asked at a time.
const COUNT: usize = 8;

/// A bit for each of eight boxes that shares a point with another one, the lowest for the first; touching edges count. Boxes
/// are `[min_x, min_y, max_x, max_y]`.
#[inline(always)]
pub fn overlapping(boxes: [&[f32; COUNT]; 4], one: [f32; 4]) -> u32 {
    #[cfg(all(target_arch = "x86_64", target_feature = "avx"))]
    return x86::overlapping_at_once(boxes, one);
    #[cfg(all(target_arch = "x86_64", not(target_feature = "avx")))]
    return x86::overlapping_by_halves(boxes, one);
    #[cfg(not(target_arch = "x86_64"))]
    overlapping_one_by_one(boxes, one)
}

/// The same, whatever the machine.
#[cfg(any(test, not(target_arch = "x86_64")))]
#[inline(always)]
fn overlapping_one_by_one(
    [low_x, low_y, high_x, high_y]: [&[f32; COUNT]; 4],
    [min_x, min_y, max_x, max_y]: [f32; 4],
) -> u32 {
    let shares = |i: usize| (low_x[i] <= max_x) & (low_y[i] <= max_y) & (min_x <= high_x[i]) & (min_y <= high_y[i]);
    (0..COUNT).fold(0, |bits, i| bits | u32::from(shares(i)) << i)
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::COUNT;
    use std::arch::x86_64::*;

    /// With registers of eight numbers, in programs that are compiled for them.
    #[cfg(target_feature = "avx")]
    #[inline(always)]
    pub(super) fn overlapping_at_once(
        [low_x, low_y, high_x, high_y]: [&[f32; COUNT]; 4],
        [min_x, min_y, max_x, max_y]: [f32; 4],
    ) -> u32 {
        // SAFETY: the program is compiled for machines with AVX, and eight numbers are read of eight.
        unsafe {
            let at_most = |a: __m256, b: __m256| _mm256_cmp_ps::<_CMP_LE_OQ>(a, b);
            let (load, splat) = (|a: &[f32; COUNT]| _mm256_loadu_ps(a.as_ptr()), |x: f32| _mm256_set1_ps(x));
            let x = _mm256_and_ps(at_most(load(low_x), splat(max_x)), at_most(splat(min_x), load(high_x)));
            let y = _mm256_and_ps(at_most(load(low_y), splat(max_y)), at_most(splat(min_y), load(high_y)));
            _mm256_movemask_ps(_mm256_and_ps(x, y)) as u32
        }
    }

    /// With registers of four numbers.
    #[cfg(any(test, not(target_feature = "avx")))]
    #[inline(always)]
    pub(super) fn overlapping_by_halves(
        [low_x, low_y, high_x, high_y]: [&[f32; COUNT]; 4],
        [min_x, min_y, max_x, max_y]: [f32; 4],
    ) -> u32 {
        let half = |half: usize| {
            // SAFETY: every x86-64 has SSE2, and numbers 0 to 3 or 4 to 7 are read of eight.
            unsafe {
                let (load, splat) =
                    (|a: &[f32; COUNT]| _mm_loadu_ps(a.as_ptr().add(4 * half)), |x: f32| _mm_set1_ps(x));
                let x = _mm_and_ps(_mm_cmple_ps(load(low_x), splat(max_x)), _mm_cmple_ps(splat(min_x), load(high_x)));
                let y = _mm_and_ps(_mm_cmple_ps(load(low_y), splat(max_y)), _mm_cmple_ps(splat(min_y), load(high_y)));
                _mm_movemask_ps(_mm_and_ps(x, y)) as u32
            }
        };
        half(0) | half(1) << 4
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All ways of asking agree, also where edges touch and where there is no box.
    #[test]
    fn boxes_overlap_in_lanes_as_they_do_alone() {
        let (mut random, mut overlaps) = (41_u32, 0);
        // On a coarse grid edges touch often.
        let mut side = || {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            ((random >> 16) % 6) as f32
        };
        for _ in 0..if cfg!(miri) { 40 } else { 1000 } {
            let low = std::array::from_fn::<[f32; COUNT], 2, _>(|_| std::array::from_fn(|_| side()));
            let mut high = low.map(|low| low.map(|low| low + side()));
            high[0][3] = f32::NEG_INFINITY;
            let (x, y) = (side(), side());
            let one = [x, y, x + side(), y + side()];
            let boxes = [&low[0], &low[1], &high[0], &high[1]];
            let expected = overlapping_one_by_one(boxes, one);
            assert_eq!(overlapping(boxes, one), expected);
            #[cfg(target_arch = "x86_64")]
            assert_eq!(x86::overlapping_by_halves(boxes, one), expected);
            assert_eq!(expected >> 3 & 1, 0, "nothing overlaps what is not there");
            overlaps += expected.count_ones();
        }
        assert!(cfg!(miri) || (1000..7000).contains(&overlaps), "{overlaps} overlaps are too few or too many to tell");
    }
}
