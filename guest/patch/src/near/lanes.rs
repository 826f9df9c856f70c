//! 64-bit words side by side, with the few operations that a column of distances needs.
//!
//! In a component a vector of two is one register. Elsewhere four are an array, which the compiler turns into what the
//! machine has. A single word is the same thing once, for short texts and as the reference.

/// `N` words.
pub(super) trait Lanes<const N: usize>: Copy {
    /// Each from its place.
    fn from_fn(word: impl FnMut(usize) -> u64) -> Self;
    /// The words.
    fn words(self) -> [u64; N];
    /// In both.
    fn and(self, other: Self) -> Self;
    /// In one of them.
    fn or(self, other: Self) -> Self;
    /// In just one of them.
    fn xor(self, other: Self) -> Self;
    /// In neither.
    fn nor(self, other: Self) -> Self;
    /// The sum without what overflows.
    fn add(self, other: Self) -> Self;
    /// The difference without what overflows.
    fn sub(self, other: Self) -> Self;
    /// Every bit one place up.
    fn up(self) -> Self;
    /// The highest bit alone, as 0 or 1.
    fn top(self) -> Self;

    /// The same word everywhere.
    fn splat(word: u64) -> Self {
        Self::from_fn(|_| word)
    }
}

impl Lanes<1> for u64 {
    fn from_fn(mut word: impl FnMut(usize) -> u64) -> Self {
        word(0)
    }

    fn words(self) -> [u64; 1] {
        [self]
    }

    fn and(self, other: Self) -> Self {
        self & other
    }

    fn or(self, other: Self) -> Self {
        self | other
    }

    fn xor(self, other: Self) -> Self {
        self ^ other
    }

    fn nor(self, other: Self) -> Self {
        !(self | other)
    }

    fn add(self, other: Self) -> Self {
        self.wrapping_add(other)
    }

    fn sub(self, other: Self) -> Self {
        self.wrapping_sub(other)
    }

    fn up(self) -> Self {
        self << 1
    }

    fn top(self) -> Self {
        self >> 63
    }
}

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub(super) use simd::{GROUPS, WIDTH, Wide};

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
pub(super) use portable::{GROUPS, WIDTH, Wide};

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod simd {
    use core::arch::wasm32::{
        i64x2_add, i64x2_shl, i64x2_sub, u64x2, u64x2_extract_lane, u64x2_shr, v128, v128_and, v128_not, v128_or,
        v128_xor,
    };

    use super::Lanes;

    /// How many words [`Wide`] has.
    pub(in super::super) const WIDTH: usize = 2;
    /// How many of them take turns, so that one does not wait for its own last result.
    pub(in super::super) const GROUPS: usize = 2;

    /// A register.
    #[derive(Clone, Copy)]
    pub(in super::super) struct Wide(v128);

    impl Lanes<WIDTH> for Wide {
        fn from_fn(mut word: impl FnMut(usize) -> u64) -> Self {
            Self(u64x2(word(0), word(1)))
        }

        fn words(self) -> [u64; WIDTH] {
            [u64x2_extract_lane::<0>(self.0), u64x2_extract_lane::<1>(self.0)]
        }

        fn and(self, other: Self) -> Self {
            Self(v128_and(self.0, other.0))
        }

        fn or(self, other: Self) -> Self {
            Self(v128_or(self.0, other.0))
        }

        fn xor(self, other: Self) -> Self {
            Self(v128_xor(self.0, other.0))
        }

        fn nor(self, other: Self) -> Self {
            Self(v128_not(v128_or(self.0, other.0)))
        }

        fn add(self, other: Self) -> Self {
            Self(i64x2_add(self.0, other.0))
        }

        fn sub(self, other: Self) -> Self {
            Self(i64x2_sub(self.0, other.0))
        }

        fn up(self) -> Self {
            Self(i64x2_shl(self.0, 1))
        }

        fn top(self) -> Self {
            Self(u64x2_shr(self.0, 63))
        }
    }
}

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
mod portable {
    use std::array;

    use super::Lanes;

    /// How many words [`Wide`] has.
    pub(in super::super) const WIDTH: usize = 4;
    /// How many of them take turns, so that one does not wait for its own last result.
    pub(in super::super) const GROUPS: usize = 2;

    /// An array that is worked on as one.
    #[derive(Clone, Copy)]
    pub(in super::super) struct Wide([u64; WIDTH]);

    impl Wide {
        fn each(self, other: Self, f: impl Fn(u64, u64) -> u64) -> Self {
            Self(array::from_fn(|lane| f(self.0[lane], other.0[lane])))
        }
    }

    impl Lanes<WIDTH> for Wide {
        fn from_fn(word: impl FnMut(usize) -> u64) -> Self {
            Self(array::from_fn(word))
        }

        fn words(self) -> [u64; WIDTH] {
            self.0
        }

        fn and(self, other: Self) -> Self {
            self.each(other, |a, b| a & b)
        }

        fn or(self, other: Self) -> Self {
            self.each(other, |a, b| a | b)
        }

        fn xor(self, other: Self) -> Self {
            self.each(other, |a, b| a ^ b)
        }

        fn nor(self, other: Self) -> Self {
            self.each(other, |a, b| !(a | b))
        }

        fn add(self, other: Self) -> Self {
            self.each(other, u64::wrapping_add)
        }

        fn sub(self, other: Self) -> Self {
            self.each(other, u64::wrapping_sub)
        }

        fn up(self) -> Self {
            Self(self.0.map(|word| word << 1))
        }

        fn top(self) -> Self {
            Self(self.0.map(|word| word >> 63))
        }
    }
}
