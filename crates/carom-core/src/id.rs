//! Typed handles: an index into a pool and the generation of the slot at the time.

use std::fmt::Debug;
use std::hash::Hash;

/// A handle into a [`Pool`](crate::Pool). Types are made with [`define_id!`](crate::define_id).
pub trait Id: Copy + Eq + Ord + Hash + Debug {
    /// The handle of slot `index` in its life number `generation`.
    fn new(index: u32, generation: u32) -> Self;
    /// The slot.
    fn index(self) -> u32;
    /// Which life of the slot, counted from 1.
    fn generation(self) -> u32;
}

/// Makes a handle type: `define_id!(/** A body. */ pub struct BodyId;)`.
///
/// The type is an (index, generation) pair that orders by index first, prints as `BodyId(3 v1)` and implements
/// [`Id`]. Handles of different types do not mix, and a handle to a removed thing never matches its successor.
#[macro_export]
macro_rules! define_id {
    ($(#[$meta:meta])* $vis:vis struct $name:ident;) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $vis struct $name {
            index: u32,
            generation: u32,
        }

        #[allow(dead_code)]
        impl $name {
            /// The slot in the pool. Slots are reused, so an index alone does not tell two lives apart.
            #[inline]
            $vis const fn index(self) -> u32 {
                self.index
            }

            /// Which life of the slot, counted from 1.
            #[inline]
            $vis const fn generation(self) -> u32 {
                self.generation
            }

            /// Both parts in one word, the generation on top; the inverse of [`Self::from_bits`].
            #[inline]
            $vis const fn to_bits(self) -> u64 {
                (self.generation as u64) << 32 | self.index as u64
            }

            /// The handle that [`Self::to_bits`] packed.
            #[inline]
            $vis const fn from_bits(bits: u64) -> Self {
                Self { index: bits as u32, generation: (bits >> 32) as u32 }
            }
        }

        impl $crate::Id for $name {
            #[inline]
            fn new(index: u32, generation: u32) -> Self {
                Self { index, generation }
            }

            #[inline]
            fn index(self) -> u32 {
                self.index
            }

            #[inline]
            fn generation(self) -> u32 {
                self.generation
            }
        }

        impl ::core::fmt::Debug for $name {
            fn fmt(&self, formatter: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                ::core::write!(formatter, ::core::concat!(::core::stringify!($name), "({} v{})"), self.index, self.generation)
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use crate::Id;

    define_id!(
        /// A thing.
        struct ThingId;
    );

    #[test]
    fn prints_packs_and_orders() {
        let id = ThingId::new(3, 1);
        assert_eq!(format!("{id:?}"), "ThingId(3 v1)");
        assert_eq!(id.to_bits(), 1 << 32 | 3);
        let top = ThingId::new(u32::MAX, 7);
        assert_eq!(ThingId::from_bits(top.to_bits()), top);
        assert!(ThingId::new(2, 9) < id && id < ThingId::new(3, 2));
    }
}
