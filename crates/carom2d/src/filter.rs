//! Which shapes may meet.

/// Decides which shapes may collide, sense or be found. Applied before any geometry is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
pub struct Filter {
    /// What this shape is: any number of bits. Default: bit 0.
    pub category: u64,
    /// What this shape meets: it meets another if each one's mask contains a category bit of the
    /// other. Default: everything.
    pub mask: u64,
    /// Shapes of the same non-zero group always meet (positive) or never meet (negative), whatever
    /// category and mask say. Default 0: no group.
    pub group: i32,
}

impl Filter {
    /// Meets everything.
    pub const ALL: Filter = Filter { category: 1, mask: u64::MAX, group: 0 };

    /// True when shapes with these filters may meet.
    #[inline]
    pub fn allows(&self, other: &Filter) -> bool {
        if self.group == other.group && self.group != 0 {
            return self.group > 0;
        }
        self.mask & other.category != 0 && other.mask & self.category != 0
    }
}

impl Default for Filter {
    fn default() -> Filter {
        Filter::ALL
    }
}
