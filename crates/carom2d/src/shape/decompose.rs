//! Cutting a polygon with holes into convex pieces.
//!
//! 1. *Bridges.* Each hole is joined to the ring around it by a cut, so that one ring remains.
//! 2. *Ears.* A corner whose triangle contains no other vertex is cut off, until nothing is left.
//!    A grid over the vertices tells quickly which ones are near.
//! 3. *Flips.* The diagonal of two neighbouring triangles is exchanged where the other one makes
//!    better triangles (Delaunay's criterion). Ears tend to be long and thin.
//! 4. *Merging.* Cuts are taken back, the longest first, where what they part is convex together.
//!    The number of pieces is at most four times the least possible.
//!
//! Coordinates are f32 in f64, where the sign of a turn is practically exact. Every choice goes
//! by the order of the vertices, so the result depends on the polygon alone.
//!
//! G. Meisters, "Polygons have ears", Am. Math. Monthly 82 (1975). C. Lawson, "Software for C1
//! surface interpolation" (1977). S. Hertel, K. Mehlhorn, "Fast triangulation of simple polygons"
//! (1983). D. Eberly, "Triangulation by ear clipping" (2002), for the bridges.

use super::MAX_POLYGON_VERTICES;
use super::double::Double2;
use std::collections::VecDeque;

/// A left turn counts as one when its sine is at least this.
const LEAST_TURN: f64 = 1.0e-5;

/// Two edges longer than this, in metres ...
const LONG_EDGE: f64 = 0.1;
/// ... that bend by less than this, as a sine, stay in different pieces: something flat may lie on
/// both, and one piece shows only one of its edges.
const GENTLE_TURN: f64 = 0.01;

/// Twice the signed area of the triangle: positive for a left turn.
fn turn(a: Double2, b: Double2, c: Double2) -> f64 {
    (b - a).cross(c - a)
}

/// The area of a ring, positive when it runs counter-clockwise.
pub(super) fn ring_area(ring: &[Double2]) -> f64 {
    let Some(&first) = ring.first() else { return 0.0 };
    let sum: f64 = ring.windows(2).map(|pair| (pair[0] - first).cross(pair[1] - first)).sum();
    0.5 * sum
}

/// The convex pieces of a polygon, as numbers of vertices counted through all rings, each
/// counter-clockwise. The first ring runs counter-clockwise, the others, its holes, clockwise.
/// None if rounding got in the way.
pub(super) fn decompose(rings: &[Vec<Double2>]) -> Option<Vec<Vec<usize>>> {
    let points: Vec<Double2> = rings.iter().flatten().copied().collect();
    let ring = bridged(rings, &points)?;
    let mut triangles = clip_ears(&ring, &points)?;
    let mut cuts = Cuts::of(&triangles);
    improve(&mut triangles, &mut cuts, &points);
    Some(merge(&triangles, &cuts, &points))
}

// ---- bridges ------------------------------------------------------------------------------------

/// One ring of vertices that runs around the outline and, over bridges there and back, around
/// every hole.
fn bridged(rings: &[Vec<Double2>], points: &[Double2]) -> Option<Vec<usize>> {
    let mut ring: Vec<usize> = (0..rings[0].len()).collect();
    let mut holes: Vec<Vec<usize>> = Vec::new();
    let mut start = rings[0].len();
    for hole in &rings[1..] {
        let rightmost = (0..hole.len()).max_by(|&i, &j| {
            let (p, q) = (hole[i], hole[j]);
            p.x.total_cmp(&q.x).then(q.y.total_cmp(&p.y))
        })?;
        holes.push((0..hole.len()).map(|i| start + (rightmost + i) % hole.len()).collect());
        start += hole.len();
    }
    // From the right: then what is right of a hole is part of the ring already.
    holes.sort_by(|a, b| {
        let (p, q) = (points[a[0]], points[b[0]]);
        q.x.total_cmp(&p.x).then(p.y.total_cmp(&q.y))
    });
    for hole in holes {
        let place = visible(&ring, points, points[hole[0]])?;
        let mut joined = Vec::with_capacity(ring.len() + hole.len() + 2);
        joined.extend_from_slice(&ring[..=place]);
        joined.extend_from_slice(&hole);
        joined.push(hole[0]);
        joined.extend_from_slice(&ring[place..]);
        ring = joined;
    }
    Some(ring)
}

/// The place on the ring of a vertex that can be seen from `eye`, to the right of it.
fn visible(ring: &[usize], points: &[Double2], eye: Double2) -> Option<usize> {
    let at = |place: usize| points[ring[place % ring.len()]];
    // The first edge that a ray to the right meets, from inside: it runs upwards.
    let mut hit: Option<(f64, usize)> = None;
    for place in 0..ring.len() {
        let (p, q) = (at(place), at(place + 1));
        if p.y <= eye.y && q.y > eye.y {
            let x = p.x + (q.x - p.x) * ((eye.y - p.y) / (q.y - p.y));
            if x >= eye.x && hit.is_none_or(|(nearest, _)| x < nearest) {
                hit = Some((x, place));
            }
        }
    }
    let (x, edge) = hit?;
    let target = Double2::new(x, eye.y);
    // The end of that edge farther right is visible, unless vertices lie in the triangle between:
    // then the one at the smallest angle to the ray is.
    let best_end = if at(edge).x > at(edge + 1).x { edge } else { edge + 1 };
    let best_end = best_end % ring.len();
    if at(best_end) == target {
        return Some(best_end);
    }
    let end = at(best_end);
    let (a, b, c) = if end.y < eye.y { (eye, end, target) } else { (eye, target, end) };
    let mut best: Option<(f64, f64, usize)> = None;
    for place in 0..ring.len() {
        let p = at(place);
        if p.x < eye.x || turn(a, b, p) < 0.0 || turn(b, c, p) < 0.0 || turn(c, a, p) < 0.0 || p == eye {
            continue;
        }
        // Bridges leave a vertex in several places; only one of them looks towards the eye.
        if !looks_at(at(place + ring.len() - 1), p, at(place + 1), eye) {
            continue;
        }
        let (along, away) = (p.x - eye.x, (p.y - eye.y).abs());
        let slope = if along > 0.0 { away / along } else { f64::MAX };
        let distance = along + away;
        if best.is_none_or(|(s, d, _)| slope < s || slope == s && distance < d) {
            best = Some((slope, distance, place));
        }
    }
    best.map(|(_, _, place)| place)
}

/// True when a point can be seen from a corner without looking through its edges.
fn looks_at(before: Double2, corner: Double2, after: Double2, point: Double2) -> bool {
    if turn(before, corner, after) > 0.0 {
        turn(before, corner, point) >= 0.0 && turn(corner, after, point) >= 0.0
    } else {
        turn(before, corner, point) >= 0.0 || turn(corner, after, point) >= 0.0
    }
}

// ---- ears ---------------------------------------------------------------------------------------

/// The places of a ring sorted into square cells.
struct Grid {
    low: Double2,
    cell: f64,
    columns: usize,
    rows: usize,
    /// Where each cell's places begin in `places`; one more than there are cells.
    starts: Vec<usize>,
    places: Vec<usize>,
}

impl Grid {
    fn new(ring: &[usize], points: &[Double2]) -> Grid {
        let (mut low, mut high) = (points[ring[0]], points[ring[0]]);
        for &vertex in ring {
            let p = points[vertex];
            low = Double2::new(if p.x < low.x { p.x } else { low.x }, if p.y < low.y { p.y } else { low.y });
            high = Double2::new(if p.x > high.x { p.x } else { high.x }, if p.y > high.y { p.y } else { high.y });
        }
        let (width, height) = (high.x - low.x, high.y - low.y);
        // About one place per cell.
        let cell = (width * height / ring.len() as f64).sqrt();
        let longest = if width > height { width } else { height };
        let cell = if cell > longest * 1.0e-4 { cell } else { longest * 1.0e-4 };
        let (columns, rows) = ((width / cell) as usize + 1, (height / cell) as usize + 1);
        let mut grid =
            Grid { low, cell, columns, rows, starts: vec![0; columns * rows + 1], places: vec![0; ring.len()] };
        for &vertex in ring {
            let cell = grid.cell_of(points[vertex]);
            grid.starts[cell + 1] += 1;
        }
        for cell in 0..columns * rows {
            grid.starts[cell + 1] += grid.starts[cell];
        }
        let mut next = grid.starts.clone();
        for (place, &vertex) in ring.iter().enumerate() {
            let cell = grid.cell_of(points[vertex]);
            grid.places[next[cell]] = place;
            next[cell] += 1;
        }
        grid
    }

    fn column(&self, x: f64) -> usize {
        (((x - self.low.x) / self.cell) as usize).min(self.columns - 1)
    }

    fn row(&self, y: f64) -> usize {
        (((y - self.low.y) / self.cell) as usize).min(self.rows - 1)
    }

    fn cell_of(&self, p: Double2) -> usize {
        self.row(p.y) * self.columns + self.column(p.x)
    }

    /// True when `test` is for a place in a cell that the triangle's box meets.
    fn any_near(&self, triangle: [Double2; 3], mut test: impl FnMut(usize) -> bool) -> bool {
        let [a, b, c] = triangle;
        let least = |p: f64, q: f64, r: f64| {
            let pq = if p < q { p } else { q };
            if pq < r { pq } else { r }
        };
        let most = |p: f64, q: f64, r: f64| -least(-p, -q, -r);
        let (left, right) = (self.column(least(a.x, b.x, c.x)), self.column(most(a.x, b.x, c.x)));
        for row in self.row(least(a.y, b.y, c.y))..=self.row(most(a.y, b.y, c.y)) {
            // Cells of a row lie side by side.
            let places = self.starts[row * self.columns + left]..self.starts[row * self.columns + right + 1];
            if self.places[places].iter().any(|&place| test(place)) {
                return true;
            }
        }
        false
    }
}

/// Triangles that fill a ring.
fn clip_ears(ring: &[usize], points: &[Double2]) -> Option<Vec<[usize; 3]>> {
    let count = ring.len();
    let grid = Grid::new(ring, points);
    let mut previous: Vec<usize> = (0..count).map(|i| (i + count - 1) % count).collect();
    let mut next: Vec<usize> = (0..count).map(|i| (i + 1) % count).collect();
    let mut gone = vec![false; count];
    let at = |place: usize| points[ring[place]];
    let is_ear = |place: usize, previous: &[usize], next: &[usize], gone: &[bool]| {
        let (before, after) = (previous[place], next[place]);
        let (a, b, c) = (at(before), at(place), at(after));
        turn(a, b, c) > 0.0
            && !grid.any_near([a, b, c], |other| {
                let p = at(other);
                !gone[other]
                    && p != a
                    && p != b
                    && p != c
                    && turn(a, b, p) >= 0.0
                    && turn(b, c, p) >= 0.0
                    && turn(c, a, p) >= 0.0
            })
            // A bridge may come back to where it began: the cut must not leave through it.
            && looks_at(at(previous[before]), a, b, c)
            && looks_at(b, c, at(next[after]), a)
    };
    // Cutting off an ear makes no other corner an ear or none but the two beside it. First come, first
    // served: one beside the last would make fans of thin triangles.
    let mut triangles = Vec::with_capacity(count);
    let mut left = count;
    let mut waiting: VecDeque<usize> = (0..count).collect();
    let mut second_look = false;
    let mut place = 0;
    while left > 3 {
        let Some(candidate) = waiting.pop_front() else {
            // Bridges are no proper corners, and may have hidden one.
            if second_look {
                return None;
            }
            second_look = true;
            waiting = (0..count).filter(|&place| !gone[place]).collect();
            continue;
        };
        if gone[candidate] || !is_ear(candidate, &previous, &next, &gone) {
            continue;
        }
        let (before, after) = (previous[candidate], next[candidate]);
        triangles.push([ring[before], ring[candidate], ring[after]]);
        gone[candidate] = true;
        next[before] = after;
        previous[after] = before;
        left -= 1;
        second_look = false;
        waiting.extend([before, after]);
        place = before;
    }
    let (before, after) = (previous[place], next[place]);
    if turn(at(before), at(place), at(after)) <= 0.0 {
        return None;
    }
    triangles.push([ring[before], ring[place], ring[after]]);
    Some(triangles)
}

// ---- cuts ---------------------------------------------------------------------------------------

/// Which triangle is on the other side of each edge.
struct Cuts {
    /// For triangle `t` and its edge from corner `i` to the next: the triangle beyond, if any.
    beyond: Vec<[Option<usize>; 3]>,
}

impl Cuts {
    fn of(triangles: &[[usize; 3]]) -> Cuts {
        let mut edges: Vec<(usize, usize, usize, usize)> = Vec::with_capacity(3 * triangles.len());
        for (number, corners) in triangles.iter().enumerate() {
            for i in 0..3 {
                let (p, q) = (corners[i], corners[(i + 1) % 3]);
                edges.push(if p < q { (p, q, number, i) } else { (q, p, number, i) });
            }
        }
        edges.sort_unstable();
        let mut beyond = vec![[None; 3]; triangles.len()];
        for pair in edges.windows(2) {
            let ((p, q, one, i), (r, s, two, j)) = (pair[0], pair[1]);
            if (p, q) == (r, s) {
                beyond[one][i] = Some(two);
                beyond[two][j] = Some(one);
            }
        }
        Cuts { beyond }
    }
}

/// Flips diagonals until all triangles are as good as they get.
fn improve(triangles: &mut [[usize; 3]], cuts: &mut Cuts, points: &[Double2]) {
    let mut waiting: Vec<usize> = (0..triangles.len()).rev().collect();
    // Each flip makes the triangulation better, so they come to an end; with rounding, that is not sure.
    let mut flips_left = 20 * triangles.len();
    while let Some(one) = waiting.pop() {
        for i in 0..3 {
            let Some(two) = cuts.beyond[one][i] else { continue };
            let Some(j) = cuts.beyond[two].iter().position(|&beyond| beyond == Some(one)) else { continue };
            // The cut runs from p to q in triangle one, which has r on its other corner; two has s.
            let (p, q, r) = (triangles[one][i], triangles[one][(i + 1) % 3], triangles[one][(i + 2) % 3]);
            let s = triangles[two][(j + 2) % 3];
            if flips_left == 0 || !better_flipped(points[p], points[q], points[r], points[s]) {
                continue;
            }
            flips_left -= 1;
            let (beyond_qr, beyond_rp) = (cuts.beyond[one][(i + 1) % 3], cuts.beyond[one][(i + 2) % 3]);
            // In two the cut runs from q to p, then come p to s and s to q.
            let (beyond_ps, beyond_sq) = (cuts.beyond[two][(j + 1) % 3], cuts.beyond[two][(j + 2) % 3]);
            triangles[one] = [r, p, s];
            cuts.beyond[one] = [beyond_rp, beyond_ps, Some(two)];
            triangles[two] = [s, q, r];
            cuts.beyond[two] = [beyond_sq, beyond_qr, Some(one)];
            for (outer, from, to) in [(beyond_ps, two, one), (beyond_qr, one, two)] {
                if let Some(outer) = outer {
                    for beyond in &mut cuts.beyond[outer] {
                        if *beyond == Some(from) {
                            *beyond = Some(to);
                            break;
                        }
                    }
                }
            }
            waiting.push(two);
            waiting.push(one);
            break;
        }
    }
}

/// True when the diagonal from r to s makes better triangles than the one from p to q: s lies in
/// the circle through p, q and r, clearly, and the flipped triangles are no slivers.
fn better_flipped(p: Double2, q: Double2, r: Double2, s: Double2) -> bool {
    let clear = |a: Double2, b: Double2, c: Double2| turn(a, b, c) > LEAST_TURN * (b - a).length() * (c - b).length();
    if !clear(r, p, s) || !clear(s, q, r) {
        return false;
    }
    // The angles at r and s, over the cut, add up to more than half a turn.
    let (rp, rq, sp, sq) = (p - r, q - r, p - s, q - s);
    let (sin_r, cos_r) = (rp.cross(rq), rp.dot(rq));
    let (sin_s, cos_s) = (sq.cross(sp), sq.dot(sp));
    let scale = rp.length() * rq.length() * sp.length() * sq.length();
    sin_r * cos_s + cos_r * sin_s < -1.0e-9 * scale
}

// ---- merging ------------------------------------------------------------------------------------

/// Takes cuts back where what remains is convex and small enough.
fn merge(triangles: &[[usize; 3]], cuts: &Cuts, points: &[Double2]) -> Vec<Vec<usize>> {
    let mut pieces: Vec<Vec<usize>> = triangles.iter().map(|triangle| triangle.to_vec()).collect();
    // The piece that a triangle has become part of; followed until one is its own.
    let mut owner: Vec<usize> = (0..triangles.len()).collect();
    let mut candidates: Vec<(f64, usize, usize, usize, usize)> = Vec::new();
    for (one, corners) in triangles.iter().enumerate() {
        for i in 0..3 {
            if let Some(two) = cuts.beyond[one][i]
                && one < two
            {
                let (p, q) = (corners[i], corners[(i + 1) % 3]);
                candidates.push(((points[q] - points[p]).length(), p, q, one, two));
            }
        }
    }
    candidates.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    for (_, p, q, one, two) in candidates {
        let (one, two) = (find(&mut owner, one), find(&mut owner, two));
        if let Some(merged) = merged(&pieces[one], &pieces[two], p, q, points) {
            let (keep, drop) = if one < two { (one, two) } else { (two, one) };
            pieces[keep] = merged;
            pieces[drop].clear();
            owner[drop] = keep;
        }
    }
    pieces.retain(|piece| !piece.is_empty());
    pieces
}

fn find(owner: &mut [usize], mut piece: usize) -> usize {
    while owner[piece] != piece {
        owner[piece] = owner[owner[piece]];
        piece = owner[piece];
    }
    piece
}

/// Two pieces without the cut from p to q between them, if that is convex and not too large.
fn merged(one: &[usize], two: &[usize], p: usize, q: usize, points: &[Double2]) -> Option<Vec<usize>> {
    let count = one.len() + two.len() - 2;
    if count > MAX_POLYGON_VERTICES {
        return None;
    }
    // Around `one` from q to p, then around `two` from p to q.
    let from_q = one.iter().position(|&vertex| vertex == q)?;
    let from_p = two.iter().position(|&vertex| vertex == p)?;
    let mut ring: Vec<usize> = (0..one.len()).map(|i| one[(from_q + i) % one.len()]).collect();
    ring.extend((1..two.len() - 1).map(|i| two[(from_p + i) % two.len()]));
    let convex_at = |place: usize| {
        let at = |i: usize| points[ring[i % count]];
        let (a, b, c) = (at(place + count - 1), at(place), at(place + 1));
        let (before, after) = ((b - a).length(), (c - b).length());
        let least = if before > LONG_EDGE && after > LONG_EDGE { GENTLE_TURN } else { LEAST_TURN };
        turn(a, b, c) > least * before * after
    };
    (convex_at(0) && convex_at(one.len() - 1)).then_some(ring)
}
