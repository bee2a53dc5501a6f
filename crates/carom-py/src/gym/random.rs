//! NumPy's generator, so that an environment draws the numbers that Gymnasium's draws from the same seed: PCG64 of
//! M. O'Neill ("PCG: A Family of Simple Fast Space-Efficient Statistically Good Algorithms", 2014), whole numbers by the
//! method of D. Lemire ("Fast Random Integer Generation in an Interval", 2019).

/// The factor of the generator's congruence, of 128 bits.
const FACTOR: u128 = 0x2360_ED05_1FC6_5DA4_4385_DF64_9FCC_F645;

/// `numpy.random.Generator(PCG64)`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Random {
    state: u128,
    increment: u128,
    /// The upper half of a number of 64 bits whose lower half was handed out.
    half: Option<u32>,
}

impl Random {
    /// From what `numpy.random.PCG64(seed).state["state"]` says.
    pub(crate) fn new(state: u128, increment: u128) -> Random {
        Random { state, increment, half: None }
    }

    fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_mul(FACTOR).wrapping_add(self.increment);
        let folded = (self.state >> 64) as u64 ^ self.state as u64;
        folded.rotate_right((self.state >> 122) as u32)
    }

    /// 32 bits, two of them of each 64: the lower half first.
    fn next_u32(&mut self) -> u32 {
        if let Some(half) = self.half.take() {
            return half;
        }
        let both = self.next_u64();
        self.half = Some((both >> 32) as u32);
        both as u32
    }

    /// A number in [0, 1): `random()`.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// `uniform(low, high)`.
    pub(crate) fn uniform(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// `integers(low, high)`, for fewer than 2^32 of them: `low` included, `high` not.
    pub(crate) fn integer(&mut self, low: i64, high: i64) -> i64 {
        let count = (high - low) as u32;
        if count < 2 {
            return low;
        }
        let mut product = u64::from(self.next_u32()) * u64::from(count);
        // Without the numbers below this, all answers are the same number of products.
        let threshold = count.wrapping_neg() % count;
        while (product as u32) < threshold {
            product = u64::from(self.next_u32()) * u64::from(count);
        }
        low + (product >> 32) as i64
    }
}
