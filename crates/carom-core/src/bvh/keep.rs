//! A tree in a snapshot: its shape decides the order of visits, so it is kept as it is.

use super::{Bounds, Bvh, FREE, NONE, Node};
use crate::snapshot::{SnapshotError, SnapshotReader, SnapshotWriter, ensure};

/// What is written of a node first.
const LEAF: u64 = 0;
/// An inner node whose bounds are those around its children.
const TIGHT: u64 = 1;
/// One whose bounds are larger.
const LOOSE: u64 = 2;
const UNUSED: u64 = 3;

impl<B: Bounds + PartialEq> Bvh<B> {
    /// Writes the tree but for the bounds of its leaves, which their owner has.
    pub fn write(&self, writer: &mut SnapshotWriter<'_>, write_bounds: impl Fn(&mut SnapshotWriter<'_>, &B)) {
        writer.word(self.root.into());
        writer.list(self.nodes.iter(), |writer, node| {
            let Node { bounds, category, parent: _, children, height } = node;
            let around = || {
                let [left, right] = children.map(|child| self.nodes[child as usize].bounds);
                left.union(&right)
            };
            match *height {
                FREE => writer.word(UNUSED),
                0 => {
                    writer.word(LEAF);
                    writer.word(*category);
                    writer.word(children[1].into());
                }
                _ => {
                    let is_tight = around() == *bounds;
                    writer.word(if is_tight { TIGHT } else { LOOSE });
                    children.iter().for_each(|&child| writer.word(child.into()));
                    if !is_tight {
                        write_bounds(writer, bounds);
                    }
                }
            }
        });
        let mut free = Vec::new();
        let mut next = self.first_free;
        while next != NONE {
            free.push(next);
            next = self.nodes[next as usize].parent;
        }
        writer.list(free.iter(), |writer, &index| writer.word(index.into()));
    }

    /// Reads what [`write`](Self::write) wrote; `leaf_bounds` tells the bounds of each leaf by its user value, if there is one
    /// of that value.
    pub fn read(
        reader: &mut SnapshotReader<'_>,
        leaf_bounds: impl Fn(u32) -> Option<B>,
        read_bounds: impl Fn(&mut SnapshotReader<'_>) -> Result<B, SnapshotError>,
        blank: B,
    ) -> Result<Bvh<B>, SnapshotError> {
        let wrong = SnapshotError::Corrupt("a node of a tree");
        let small = |word: u64| u32::try_from(word).map_err(|_| SnapshotError::Corrupt("a node of a tree"));
        let root = small(reader.word()?)?;
        let mut is_tight = Vec::new();
        let nodes = reader.list(|reader| {
            let kind = reader.word()?;
            is_tight.push(kind == TIGHT);
            let mut node = Node { bounds: blank, category: 0, parent: NONE, children: [NONE; 2], height: FREE };
            match kind {
                LEAF => {
                    node.category = reader.word()?;
                    node.children[1] = small(reader.word()?)?;
                    node.bounds = leaf_bounds(node.children[1]).ok_or(SnapshotError::Corrupt("a leaf of a tree"))?;
                    node.height = 0;
                }
                TIGHT | LOOSE => {
                    node.children = [small(reader.word()?)?, small(reader.word()?)?];
                    if kind == LOOSE {
                        node.bounds = read_bounds(reader)?;
                    }
                    node.height = 1;
                }
                UNUSED => {}
                _ => return Err(SnapshotError::Corrupt("a node of a tree")),
            }
            Ok(node)
        })?;
        let free = reader.list(|reader| small(reader.word()?))?;
        let mut tree = Bvh { nodes, root, first_free: NONE, leaf_count: 0 };
        tree.link(&is_tight)?;
        for &index in free.iter().rev() {
            // One that is on the list has its place there, so that none is on it twice.
            let node = tree.nodes.get_mut(index as usize).filter(|node| node.height == FREE && node.category == 0);
            let node = node.ok_or(wrong.clone())?;
            (node.parent, node.category) = (tree.first_free, 1);
            tree.first_free = index;
        }
        let unused = tree.nodes.iter().filter(|node| node.height == FREE).count();
        ensure(unused == free.len(), "the free nodes of a tree")?;
        Ok(tree)
    }

    /// Finds parents, heights, categories and bounds of the inner nodes, from the root down and back up.
    fn link(&mut self, is_tight: &[bool]) -> Result<(), SnapshotError> {
        let wrong = || SnapshotError::Corrupt("the links of a tree");
        let mut order = Vec::new();
        let used = self.nodes.iter().filter(|node| node.height != FREE).count();
        if self.root == NONE {
            return ensure(used == 0, "the links of a tree");
        }
        self.nodes.get(self.root as usize).filter(|node| node.height != FREE).ok_or_else(wrong)?;
        order.push(self.root);
        let mut done = 0;
        while let Some(&index) = order.get(done) {
            done += 1;
            // More than there are: some are reached twice.
            ensure(order.len() <= used, "the links of a tree")?;
            if self.nodes[index as usize].height == 0 {
                self.leaf_count += 1;
                continue;
            }
            for child in self.nodes[index as usize].children {
                let node = self.nodes.get_mut(child as usize).ok_or_else(wrong)?;
                let is_new = node.height != FREE && node.parent == NONE && child != self.root;
                ensure(is_new, "the links of a tree")?;
                node.parent = index;
                order.push(child);
            }
        }
        ensure(order.len() == used, "the links of a tree")?;
        for &index in order.iter().rev() {
            if self.nodes[index as usize].is_leaf() {
                continue;
            }
            let [left, right] = self.nodes[index as usize].children.map(|child| self.nodes[child as usize].clone());
            let around = left.bounds.union(&right.bounds);
            let node = &mut self.nodes[index as usize];
            node.height = left.height.max(right.height) + 1;
            node.category = left.category | right.category;
            if is_tight[index as usize] {
                node.bounds = around;
            }
            ensure(node.bounds.contains(&around), "the bounds in a tree")?;
        }
        Ok(())
    }
}
