//! Chance that can be repeated: the same seed gives the same requests.

use std::hash::{BuildHasher, RandomState};

/// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// The stream of one user under a seed.
    pub fn of(seed: u64, user: usize) -> Self {
        let mut rng = Self(seed ^ (user as u64).wrapping_mul(0xd1b5_4a32_d192_ed03));
        rng.next();
        rng
    }

    /// The next 64 bits.
    #[expect(
        clippy::should_implement_trait,
        reason = "an endless stream is no iterator worth the ceremony"
    )]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`, which is small against 64 bits.
    pub fn below(&mut self, bound: u32) -> u32 {
        (self.next() % u64::from(bound)) as u32
    }
}

/// 64 bits that differ from process to process and from call to call.
pub fn random() -> u64 {
    RandomState::new().hash_one(std::process::id())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_and_user_give_the_same_stream() {
        let draw = |seed, user| {
            let mut rng = Rng::of(seed, user);
            (0..20).map(|_| rng.below(5)).collect::<Vec<u32>>()
        };
        assert_eq!(draw(42, 3), draw(42, 3));
        assert_ne!(draw(42, 3), draw(42, 4));
        assert_ne!(draw(42, 3), draw(43, 3));
        assert!((0..5).all(|value| draw(7, 0).contains(&value) || draw(7, 1).contains(&value)));
    }
}
