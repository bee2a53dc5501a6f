//! The way through a tree.

/// The nodes still to visit: on the machine stack as far as trees usually go, then on the heap.
pub(super) struct Stack {
    near: [u32; 64],
    near_len: usize,
    far: Vec<u32>,
}

impl Stack {
    #[inline]
    pub(super) fn new() -> Self {
        Self { near: [0; 64], near_len: 0, far: Vec::new() }
    }

    #[inline]
    pub(super) fn push(&mut self, index: u32) {
        if self.near_len < self.near.len() {
            self.near[self.near_len] = index;
            self.near_len += 1;
        } else {
            self.far.push(index);
        }
    }

    #[inline]
    pub(super) fn pop(&mut self) -> Option<u32> {
        // The far part is filled only while the near part is full, so it is on top.
        if let Some(index) = self.far.pop() {
            return Some(index);
        }
        self.near_len = self.near_len.checked_sub(1)?;
        Some(self.near[self.near_len])
    }
}
