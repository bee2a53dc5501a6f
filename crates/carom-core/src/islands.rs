//! Persistent islands: which bodies are connected, kept up to date link by link.

const NONE: u32 = u32::MAX;
/// A bit of a mark: see [`Node::mark`].
const OPEN: u32 = 1 << 31;
/// Room for this many edges is made with a node's first: as many neighbours as a box has in a heap. So a heap that
/// is stirred does not ask for memory whenever one box finds a neighbour more.
const USUAL_EDGES: usize = 12;

#[derive(Clone, Debug)]
struct Node {
    /// `NONE` if there is no such node.
    island: u32,
    /// Where it stands in the island's list.
    position: u32,
    /// Scratch of [`Islands::split`]: the number of the part, `NONE` while unvisited.
    part: u32,
    /// Scratch of [`Islands::all_connected`]: the round in which it was last visited, with `OPEN` as long as its
    /// search goes on.
    mark: u32,
    edges: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Edge {
    /// Both `NONE` if the key is free.
    ends: [u32; 2],
    /// Where the edge stands in the adjacency list of either end.
    positions: [u32; 2],
}

#[derive(Clone, Debug, Default)]
struct Island {
    /// Empty if and only if the key is free.
    nodes: Vec<u32>,
    edge_count: u32,
    /// Edges removed since the island was last known to be connected.
    removed_count: u32,
    /// Scratch of [`Islands::start_round`]: how many nodes were given to it.
    given_count: u32,
}

/// Sets of nodes connected by edges.
///
/// Linking merges at once, since that is cheap: the shorter list goes behind the longer. Unlinking only counts,
/// since finding out whether an island fell apart means searching it; the owner calls [`split`](Self::split) when it
/// wants to know, for example when an island is about to fall asleep.
///
/// Nodes are the caller's keys (small integers such as body indices); edges and islands get keys from here, reused
/// last freed first. Every result depends only on the order of the calls.
#[derive(Clone, Debug, Default)]
pub struct Islands {
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    free_edges: Vec<u32>,
    islands: Vec<Island>,
    free_islands: Vec<u32>,
    /// Scratch of the searches.
    stack: Vec<u32>,
    round: u32,
    /// Memory of the lists of nodes that keys had when all was cleared.
    spare: Vec<Vec<u32>>,
}

impl Islands {
    /// No nodes.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a node as an island of its own. Panics if it is there already.
    pub fn add_node(&mut self, node: u32) {
        assert!(!self.has_node(node), "island node {node} is there already");
        self.make_room(node);
        let island = self.new_island();
        self.islands[island as usize].nodes.push(node);
        let slot = &mut self.nodes[node as usize];
        slot.island = island;
        slot.position = 0;
    }

    /// Removes a node, and its island if that becomes empty. Panics if the node is not there or still has edges.
    pub fn remove_node(&mut self, node: u32) {
        assert!(self.has_node(node), "island node {node} is not there");
        let slot = &mut self.nodes[node as usize];
        assert!(slot.edges.is_empty(), "island node {node} still has {} edges", slot.edges.len());
        let island = std::mem::replace(&mut slot.island, NONE);
        let position = slot.position as usize;
        let list = &mut self.islands[island as usize].nodes;
        list.swap_remove(position);
        if let Some(&moved) = list.get(position) {
            self.nodes[moved as usize].position = position as u32;
        } else if list.is_empty() {
            self.free_island(island);
        }
    }

    /// Whether the node is there.
    #[inline]
    pub fn has_node(&self, node: u32) -> bool {
        self.nodes.get(node as usize).is_some_and(|slot| slot.island != NONE)
    }

    /// The island a node is in, `None` if there is no such node.
    #[inline]
    pub fn island_of(&self, node: u32) -> Option<u32> {
        self.nodes.get(node as usize).map(|slot| slot.island).filter(|&island| island != NONE)
    }

    /// Connects two different nodes and returns the key of the edge. Several edges may join the same two.
    ///
    /// Different islands become one: the shorter list is appended to the longer, and the key of the longer stays; of
    /// equally long ones, that of `a`.
    pub fn link(&mut self, a: u32, b: u32) -> u32 {
        assert!(a != b, "island node {a} cannot be linked to itself");
        let (Some(island_a), Some(island_b)) = (self.island_of(a), self.island_of(b)) else {
            panic!("cannot link island nodes {a} and {b}: not both are there");
        };
        let island = if island_a == island_b { island_a } else { self.merge(island_a, island_b) };
        self.islands[island as usize].edge_count += 1;

        let ends = [a, b];
        let positions = ends.map(|node| self.nodes[node as usize].edges.len() as u32);
        let edge = match self.free_edges.pop() {
            Some(edge) => edge,
            None => {
                self.edges.push(Edge { ends: [NONE; 2], positions });
                self.edges.len() as u32 - 1
            }
        };
        self.edges[edge as usize] = Edge { ends, positions };
        for node in ends {
            let list = &mut self.nodes[node as usize].edges;
            if list.capacity() == 0 {
                list.reserve(USUAL_EDGES);
            }
            list.push(edge);
        }
        edge
    }

    /// Removes an edge. The island stays as it is until it is [split](Self::split).
    pub fn unlink(&mut self, edge: u32) {
        let Edge { ends, positions } = self.edges[edge as usize];
        assert!(ends[0] != NONE, "island edge {edge} is not there");
        for (node, position) in ends.into_iter().zip(positions) {
            let list = &mut self.nodes[node as usize].edges;
            list.swap_remove(position as usize);
            // The last edge of the list took the place: tell it.
            if let Some(&moved) = list.get(position as usize) {
                let moved = &mut self.edges[moved as usize];
                let side = usize::from(moved.ends[0] != node);
                moved.positions[side] = position;
            }
        }
        self.edges[edge as usize].ends = [NONE; 2];
        self.free_edges.push(edge);
        let island = &mut self.islands[self.nodes[ends[0] as usize].island as usize];
        island.edge_count -= 1;
        island.removed_count += 1;
    }

    /// The two nodes that an edge joins, as they were given to [`link`](Self::link).
    #[inline]
    pub fn ends(&self, edge: u32) -> [u32; 2] {
        self.edges[edge as usize].ends
    }

    /// The nodes of an island.
    #[inline]
    pub fn nodes(&self, island: u32) -> &[u32] {
        &self.islands[island as usize].nodes
    }

    /// The number of edges in an island.
    #[inline]
    pub fn edge_count(&self, island: u32) -> usize {
        self.islands[island as usize].edge_count as usize
    }

    /// Whether edges were removed since the island was last known to be connected.
    #[inline]
    pub fn may_be_split(&self, island: u32) -> bool {
        let island = &self.islands[island as usize];
        island.removed_count > 0 && island.nodes.len() > 1
    }

    /// Begins a round of calls of [`is_whole`](Self::is_whole) and [`all_connected`](Self::all_connected) for some
    /// nodes, during which nothing may be linked and the test may not change its mind.
    pub fn start_round(&mut self, given: &[u32]) {
        for &node in given {
            if let Some(island) = self.island_of(node) {
                self.islands[island as usize].given_count = 0;
            }
        }
        for &node in given {
            if let Some(island) = self.island_of(node) {
                self.islands[island as usize].given_count += 1;
            }
        }
        self.round += 1;
        if self.round == OPEN {
            self.nodes.iter_mut().for_each(|node| node.mark = 0);
            self.round = 1;
        }
    }

    /// Whether all nodes of an island are among those that the round started with, each once.
    #[inline]
    pub fn is_whole(&self, island: u32) -> bool {
        let island = &self.islands[island as usize];
        island.given_count as usize == island.nodes.len()
    }

    /// Whether all nodes pass a test to which a node is connected, itself included: by edges that are there now, whatever
    /// island it is in. In a round every node is visited once at most, so that it is no matter to ask for each.
    pub fn all_connected(&mut self, node: u32, mut test: impl FnMut(u32) -> bool) -> bool {
        let failed = self.round;
        if self.nodes[node as usize].mark == failed || !test(node) {
            return false;
        }
        let mut stack = std::mem::take(&mut self.stack);
        let mut passed = true;
        self.nodes[node as usize].mark = failed | OPEN;
        stack.push(node);
        // Nodes stay on the stack, so that all that were visited are known.
        let mut next = 0;
        'search: while let Some(&node) = stack.get(next) {
            next += 1;
            for position in 0..self.nodes[node as usize].edges.len() {
                let [a, b] = self.edges[self.nodes[node as usize].edges[position] as usize].ends;
                let other = if a == node { b } else { a };
                let mark = &mut self.nodes[other as usize].mark;
                if *mark == failed | OPEN {
                    continue;
                }
                if *mark == failed || !test(other) {
                    passed = false;
                    break 'search;
                }
                *mark = failed | OPEN;
                stack.push(other);
            }
        }
        if !passed {
            // Whatever is connected to these fails, too.
            for &node in &stack {
                self.nodes[node as usize].mark = failed;
            }
        }
        stack.clear();
        self.stack = stack;
        passed
    }

    /// Searches an island and makes each connected part an island; returns their keys.
    ///
    /// Parts are found in the order of the island's list and keep that order inside. The first part keeps the key, so
    /// an island that is still connected returns just that.
    pub fn split(&mut self, island: u32) -> Vec<u32> {
        let may_be_split = self.may_be_split(island);
        self.islands[island as usize].removed_count = 0;
        if !may_be_split {
            return vec![island];
        }
        let list = std::mem::take(&mut self.islands[island as usize].nodes);
        let part_edge_counts = self.number_parts(&list);
        if part_edge_counts.len() == 1 {
            self.islands[island as usize].nodes = list;
            return vec![island];
        }

        // What is true of all is true of the parts.
        let was_whole = self.islands[island as usize].given_count as usize == list.len();
        // Deal the list out: stable, so that the order does not depend on how the search went.
        let mut keys = Vec::with_capacity(part_edge_counts.len());
        for (part, &edge_count) in part_edge_counts.iter().enumerate() {
            // The island being split has no nodes at this point but its key is not free, so it is not handed out.
            let key = if part == 0 { island } else { self.new_island() };
            self.islands[key as usize].edge_count = edge_count;
            keys.push(key);
        }
        for node in list {
            let slot = &mut self.nodes[node as usize];
            slot.island = keys[slot.part as usize];
            let part_list = &mut self.islands[slot.island as usize].nodes;
            slot.position = part_list.len() as u32;
            part_list.push(node);
        }
        for &key in &keys {
            let part = &mut self.islands[key as usize];
            part.given_count = if was_whole { part.nodes.len() as u32 } else { NONE };
        }
        keys
    }

    /// The keys of all islands, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        (0u32..).zip(&self.islands).filter(|(_, island)| !island.nodes.is_empty()).map(|(key, _)| key)
    }

    /// A number above every key in use.
    #[inline]
    pub fn key_count(&self) -> usize {
        self.islands.len()
    }

    /// The number of islands.
    #[inline]
    pub fn len(&self) -> usize {
        self.islands.len() - self.free_islands.len()
    }

    /// Whether there is no island, and so no node.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The nodes of each key and how many edges it has lost since it was last split; free keys have no nodes. And the free
    /// keys, the next one to be used last. That and the edges are all that decides what islands will be.
    pub fn layout(&self) -> (impl ExactSizeIterator<Item = (&[u32], u32)>, &[u32]) {
        (self.islands.iter().map(|island| (island.nodes.as_slice(), island.removed_count)), &self.free_islands)
    }

    /// Removes all nodes, edges and keys, and keeps the memory.
    pub fn clear(&mut self) {
        for node in &mut self.nodes {
            (node.island, node.mark) = (NONE, 0);
            node.edges.clear();
        }
        self.edges.clear();
        self.free_edges.clear();
        self.spare.resize(self.islands.len().max(self.spare.len()), Vec::new());
        for (island, spare) in self.islands.drain(..).zip(&mut self.spare) {
            if island.nodes.capacity() > spare.capacity() {
                *spare = island.nodes;
            }
        }
        self.free_islands.clear();
        self.round = 0;
    }

    /// Adds a key with some nodes, none at all for one that is free, as it was in a [layout](Islands::layout). Edges are then
    /// to be [linked](Islands::link), which merges nothing. False, and nothing is added, if a node is there already.
    pub fn push(&mut self, nodes: &[u32], removed_count: u32) -> bool {
        let key = self.islands.len() as u32;
        for (position, &node) in (0..).zip(nodes) {
            if self.has_node(node) {
                nodes[..position as usize].iter().for_each(|&node| self.nodes[node as usize].island = NONE);
                return false;
            }
            self.make_room(node);
            let slot = &mut self.nodes[node as usize];
            (slot.island, slot.position) = (key, position);
        }
        let mut list = self.spare.get_mut(key as usize).map(std::mem::take).unwrap_or_default();
        list.clear();
        list.extend_from_slice(nodes);
        self.islands.push(Island { nodes: list, removed_count, ..Island::default() });
        true
    }

    /// Says which keys are free, as in a [layout](Islands::layout). False if those are not the keys without nodes.
    pub fn set_free(&mut self, free: &[u32]) -> bool {
        self.free_islands.clear();
        self.free_islands.extend_from_slice(free);
        let empty = self.islands.iter().filter(|island| island.nodes.is_empty()).count();
        // A key that is listed twice leaves another one out.
        free.iter().for_each(|&key| self.islands.get_mut(key as usize).into_iter().for_each(|key| key.given_count = 1));
        let is_listed = |island: &Island| island.nodes.is_empty() == (island.given_count == 1);
        let agrees = empty == free.len() && self.islands.iter().all(is_listed);
        self.islands.iter_mut().for_each(|island| island.given_count = 0);
        agrees
    }

    fn make_room(&mut self, node: u32) {
        if node as usize >= self.nodes.len() {
            let blank = Node { island: NONE, position: 0, part: NONE, mark: 0, edges: Vec::new() };
            self.nodes.resize(node as usize + 1, blank);
        }
    }

    /// Numbers the connected parts of a list of nodes by depth-first search; returns the edge count of each part.
    fn number_parts(&mut self, list: &[u32]) -> Vec<u32> {
        for &node in list {
            self.nodes[node as usize].part = NONE;
        }
        let mut edge_counts = Vec::new();
        let mut stack = std::mem::take(&mut self.stack);
        for &seed in list {
            if self.nodes[seed as usize].part != NONE {
                continue;
            }
            let part = edge_counts.len() as u32;
            let mut end_count = 0;
            self.nodes[seed as usize].part = part;
            stack.push(seed);
            while let Some(node) = stack.pop() {
                let degree = self.nodes[node as usize].edges.len();
                end_count += degree as u32;
                for position in 0..degree {
                    let [a, b] = self.edges[self.nodes[node as usize].edges[position] as usize].ends;
                    let other = &mut self.nodes[(if a == node { b } else { a }) as usize];
                    if other.part == NONE {
                        other.part = part;
                        stack.push(if a == node { b } else { a });
                    }
                }
            }
            edge_counts.push(end_count / 2);
        }
        self.stack = stack;
        edge_counts
    }

    fn merge(&mut self, island_a: u32, island_b: u32) -> u32 {
        let (len_a, len_b) = (self.nodes(island_a).len(), self.nodes(island_b).len());
        let (kept, gone) = if len_a >= len_b { (island_a, island_b) } else { (island_b, island_a) };
        let mut absorbed = std::mem::take(&mut self.islands[gone as usize]);
        self.free_islands.push(gone);
        let target = &mut self.islands[kept as usize];
        target.edge_count += absorbed.edge_count;
        target.removed_count += absorbed.removed_count;
        for &node in &absorbed.nodes {
            let slot = &mut self.nodes[node as usize];
            slot.island = kept;
            slot.position = target.nodes.len() as u32;
            target.nodes.push(node);
        }
        // The list stays with its key, empty, for the next island.
        absorbed.nodes.clear();
        self.islands[gone as usize].nodes = absorbed.nodes;
        kept
    }

    fn new_island(&mut self) -> u32 {
        match self.free_islands.pop() {
            Some(island) => island,
            None => {
                self.islands.push(Island::default());
                self.islands.len() as u32 - 1
            }
        }
    }

    fn free_island(&mut self, island: u32) {
        let freed = &mut self.islands[island as usize];
        freed.nodes.clear();
        (freed.edge_count, freed.removed_count) = (0, 0);
        self.free_islands.push(island);
    }

    /// Checks that all cross references agree. Panics with what is wrong. For tests: it visits everything.
    pub fn validate(&self) {
        let mut listed = 0;
        let mut edge_counts = vec![0; self.islands.len()];
        for (key, island) in self.islands.iter().enumerate() {
            let is_free = self.free_islands.contains(&(key as u32));
            assert!(is_free == island.nodes.is_empty(), "island {key}: free {is_free}, nodes {:?}", island.nodes);
            for (position, &node) in island.nodes.iter().enumerate() {
                let slot = &self.nodes[node as usize];
                assert!(slot.island == key as u32, "node {node} is listed in island {key}, says {}", slot.island);
                assert!(slot.position == position as u32, "node {node} is at {position}, says {}", slot.position);
            }
            listed += island.nodes.len();
        }
        let present = self.nodes.iter().filter(|node| node.island != NONE).count();
        assert!(listed == present, "{listed} nodes are listed in islands, {present} are present");

        let mut live_edges = 0;
        for (key, edge) in self.edges.iter().enumerate() {
            if edge.ends[0] == NONE {
                assert!(self.free_edges.contains(&(key as u32)), "edge {key} is lost");
                continue;
            }
            live_edges += 1;
            for (node, position) in edge.ends.into_iter().zip(edge.positions) {
                let found = self.nodes[node as usize].edges.get(position as usize);
                assert!(found == Some(&(key as u32)), "edge {key} is not at {position} of node {node}: {found:?}");
            }
            let [island_a, island_b] = edge.ends.map(|node| self.nodes[node as usize].island);
            assert!(island_a == island_b, "edge {key} joins islands {island_a} and {island_b}");
            edge_counts[island_a as usize] += 1;
        }
        let ends: usize = self.nodes.iter().map(|node| node.edges.len()).sum();
        assert!(ends == 2 * live_edges, "{live_edges} edges have {ends} ends");
        for (key, island) in self.islands.iter().enumerate() {
            let counted = edge_counts[key];
            assert!(island.edge_count == counted, "island {key} has {counted} edges, says {}", island.edge_count);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use crate::Rng;

    /// Connected parts by union-find over the given edges, each part sorted.
    fn parts_of(nodes: &BTreeSet<u32>, edges: &[(u32, u32, u32)]) -> BTreeSet<Vec<u32>> {
        let mut parent: BTreeMap<u32, u32> = nodes.iter().map(|&node| (node, node)).collect();
        fn root(parent: &BTreeMap<u32, u32>, mut node: u32) -> u32 {
            while parent[&node] != node {
                node = parent[&node];
            }
            node
        }
        for &(_, a, b) in edges {
            let (a, b) = (root(&parent, a), root(&parent, b));
            parent.insert(a, b);
        }
        let mut parts: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for &node in nodes {
            parts.entry(root(&parent, node)).or_default().push(node);
        }
        parts.into_values().collect()
    }

    fn parts_in(islands: &Islands) -> BTreeSet<Vec<u32>> {
        let sorted = |key| {
            let mut nodes = islands.nodes(key).to_vec();
            nodes.sort_unstable();
            nodes
        };
        islands.iter().map(sorted).collect()
    }

    #[test]
    fn random_links_give_the_parts_that_union_find_gives() {
        let mut rng = Rng::new(8);
        let mut islands = Islands::new();
        let mut nodes: BTreeSet<u32> = BTreeSet::new();
        let mut edges: Vec<(u32, u32, u32)> = Vec::new();
        for round in 0..6000 {
            match rng.below(100) {
                0..15 => {
                    let node = rng.below(80);
                    if nodes.insert(node) {
                        islands.add_node(node);
                    }
                }
                15..25 => {
                    let node = rng.below(80);
                    if nodes.remove(&node) {
                        edges.retain(|&(edge, a, b)| {
                            let touches = a == node || b == node;
                            if touches {
                                islands.unlink(edge);
                            }
                            !touches
                        });
                        islands.remove_node(node);
                    }
                }
                25..60 => {
                    let (a, b) = (rng.below(80), rng.below(80));
                    if a != b && nodes.contains(&a) && nodes.contains(&b) {
                        let edge = islands.link(a, b);
                        assert_eq!(islands.ends(edge), [a, b]);
                        edges.push((edge, a, b));
                    }
                }
                _ if !edges.is_empty() => {
                    let (edge, ..) = edges.swap_remove(rng.below(edges.len() as u32) as usize);
                    islands.unlink(edge);
                }
                _ => {}
            }
            islands.validate();
            assert_eq!(islands.is_empty(), nodes.is_empty());
            for node in 0..80 {
                assert_eq!(islands.has_node(node), nodes.contains(&node));
                assert_eq!(islands.island_of(node).is_some(), nodes.contains(&node));
            }
            if round % 7 == 0 {
                let suspects: Vec<u32> = islands.iter().filter(|&key| islands.may_be_split(key)).collect();
                for key in suspects {
                    let before = islands.nodes(key).to_vec();
                    let keys = islands.split(key);
                    assert_eq!(keys[0], key);
                    for &part in &keys {
                        assert!(!islands.may_be_split(part));
                        let kept: Vec<u32> =
                            before.iter().copied().filter(|&node| islands.island_of(node) == Some(part)).collect();
                        assert_eq!(islands.nodes(part), kept, "the order of the list is kept");
                    }
                    islands.validate();
                }
                assert_eq!(parts_in(&islands), parts_of(&nodes, &edges));
            }
            if round % 5 == 0 {
                // One in seven fails.
                let passes = |node: u32| !(node * 31 + round).is_multiple_of(7);
                let parts = parts_of(&nodes, &edges);
                let given: Vec<u32> = nodes.iter().copied().filter(|&node| passes(node)).collect();
                islands.start_round(&given);
                for &node in &given {
                    let island = islands.island_of(node).unwrap();
                    let whole = islands.nodes(island).iter().all(|&other| passes(other));
                    assert_eq!(islands.is_whole(island), whole, "island {island} in round {round}");
                    if whole {
                        let parts = islands.split(island);
                        assert!(parts.iter().all(|&part| islands.is_whole(part)), "island {island} in round {round}");
                    }
                }
                for &node in &nodes {
                    let part = parts.iter().find(|part| part.contains(&node)).unwrap();
                    let expected = part.iter().all(|&other| passes(other));
                    assert_eq!(islands.all_connected(node, passes), expected, "node {node} in round {round}");
                }
            }
            if round % 7 == 0 {
                assert_eq!(islands.len(), islands.iter().count());
                assert_eq!(islands.iter().map(|key| islands.edge_count(key)).sum::<usize>(), edges.len());
            }
        }
    }

    #[test]
    fn the_shorter_list_goes_behind_the_longer() {
        let mut islands = Islands::new();
        (0..4).for_each(|node| islands.add_node(node));
        islands.link(3, 1);
        assert_eq!(islands.island_of(1), Some(3), "of equals, the island of the first node stays");
        assert_eq!(islands.nodes(3), [3, 1]);
        islands.link(0, 1);
        assert_eq!(islands.nodes(3), [3, 1, 0]);
        assert_eq!(islands.iter().collect::<Vec<_>>(), [2, 3]);
    }

    #[test]
    fn an_island_held_together_by_another_edge_keeps_its_key() {
        let mut islands = Islands::new();
        (0..3).for_each(|node| islands.add_node(node));
        let double = islands.link(0, 1);
        islands.link(0, 1);
        islands.link(1, 2);
        islands.unlink(double);
        let key = islands.island_of(2).unwrap();
        assert!(islands.may_be_split(key));
        assert_eq!(islands.split(key), [key]);
        assert!(!islands.may_be_split(key));
        assert_eq!(islands.edge_count(key), 2);
    }

    #[test]
    #[should_panic(expected = "island node 0 still has 1 edges")]
    fn a_linked_node_cannot_be_removed() {
        let mut islands = Islands::new();
        islands.add_node(0);
        islands.add_node(1);
        islands.link(0, 1);
        islands.remove_node(0);
    }
}
