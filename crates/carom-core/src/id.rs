//! Typed handles: an index into a pool, the generation of the slot at the time, and the number of the pool's owner.

use std::fmt::Debug;
use std::hash::Hash;
use std::sync::atomic::{AtomicU32, Ordering};

/// A number for an owner of pools, such as a world, that no other owner of this process has. Never 0. Handles carry it,
/// and nothing that is computed depends on it.
pub fn new_origin() -> u32 {
    static NEXT: AtomicU32 = AtomicU32::new(1);
    loop {
        let origin = NEXT.fetch_add(1, Ordering::Relaxed);
        // After 2^32 owners numbers begin again.
        if origin != 0 {
            return origin;
        }
    }
}

/// A handle into a [`Pool`](crate::Pool). Types are made with [`define_id!`](crate::define_id).
pub trait Id: Copy + Eq + Ord + Hash + Debug {
    /// The handle of slot `index` in its life number `generation`, in a pool of the owner `origin`; 0 for any.
    fn new(index: u32, generation: u32, origin: u32) -> Self;
    /// The slot.
    fn index(self) -> u32;
    /// Which life of the slot, counted from 1.
    fn generation(self) -> u32;
    /// The number of the owner whose pool it came from; 0 if that is not known.
    fn origin(self) -> u32;
}

/// Makes a handle type: `define_id!(/** A body. */ pub struct BodyId;)`.
///
/// The type is an (index, generation) pair that orders by index first, prints as `BodyId(3 v1)` and implements
/// [`Id`]. Handles of different types do not mix, and a handle to a removed thing never matches its successor.
///
/// A handle also knows which owner's pool it came from, and others refuse it. That number takes no part in comparisons:
/// the same calls give equal handles, whichever of two worlds they are made to.
#[macro_export]
macro_rules! define_id {
    ($(#[$meta:meta])* $vis:vis struct $name:ident;) => {
        $(#[$meta])*
        #[derive(Clone, Copy)]
        $vis struct $name {
            index: u32,
            generation: u32,
            origin: u32,
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

            /// Index and generation in one word, the generation on top, for storing a handle or sending it to a copy
            /// of the world elsewhere; see [`Self::from_bits`].
            #[inline]
            $vis const fn to_bits(self) -> u64 {
                (self.generation as u64) << 32 | self.index as u64
            }

            /// The handle that [`Self::to_bits`] packed. Where it came from is not in the bits: every world that has
            /// a thing in this slot and life takes it for a handle of its own.
            #[inline]
            $vis const fn from_bits(bits: u64) -> Self {
                Self { index: bits as u32, generation: (bits >> 32) as u32, origin: 0 }
            }

            /// What is compared: index first.
            #[inline]
            const fn key(self) -> (u32, u32) {
                (self.index, self.generation)
            }
        }

        impl ::core::cmp::PartialEq for $name {
            #[inline]
            fn eq(&self, other: &Self) -> bool {
                self.key() == other.key()
            }
        }

        impl ::core::cmp::Eq for $name {}

        impl ::core::cmp::PartialOrd for $name {
            #[inline]
            fn partial_cmp(&self, other: &Self) -> Option<::core::cmp::Ordering> {
                Some(self.cmp(other))
            }
        }

        impl ::core::cmp::Ord for $name {
            #[inline]
            fn cmp(&self, other: &Self) -> ::core::cmp::Ordering {
                self.key().cmp(&other.key())
            }
        }

        impl ::core::hash::Hash for $name {
            #[inline]
            fn hash<H: ::core::hash::Hasher>(&self, hasher: &mut H) {
                self.key().hash(hasher);
            }
        }

        impl $crate::Id for $name {
            #[inline]
            fn new(index: u32, generation: u32, origin: u32) -> Self {
                Self { index, generation, origin }
            }

            #[inline]
            fn index(self) -> u32 {
                self.index
            }

            #[inline]
            fn generation(self) -> u32 {
                self.generation
            }

            #[inline]
            fn origin(self) -> u32 {
                self.origin
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
    use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

    define_id!(
        /// A thing.
        struct ThingId;
    );

    #[test]
    fn prints_packs_and_orders() {
        let id = ThingId::new(3, 1, 0);
        assert_eq!(format!("{id:?}"), "ThingId(3 v1)");
        assert_eq!(id.to_bits(), 1 << 32 | 3);
        let top = ThingId::new(u32::MAX, 7, 0);
        assert_eq!(ThingId::from_bits(top.to_bits()), top);
        assert!(ThingId::new(2, 9, 0) < id && id < ThingId::new(3, 2, 0));
    }

    /// Where handles come from is neither compared nor printed nor packed.
    #[test]
    fn origins_do_not_count() {
        let (a, b) = (ThingId::new(3, 1, super::new_origin()), ThingId::new(3, 1, super::new_origin()));
        assert_ne!(a.origin(), b.origin());
        assert_eq!(a, b);
        assert_eq!(a.cmp(&b), std::cmp::Ordering::Equal);
        assert_eq!((format!("{a:?}"), a.to_bits()), (format!("{b:?}"), b.to_bits()));
        let hash = |id: ThingId| BuildHasherDefault::<DefaultHasher>::default().hash_one(id);
        assert_eq!(hash(a), hash(b));
    }
}
