//! Plays instances on threads and gathers what came out.

use super::{Family, Holds, Measure, Outcome, Player, Standing, larger, rng_of};
use carom_peers::Unsupported;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What came out of a family.
#[derive(Clone, Debug)]
pub struct Report {
    /// The family.
    pub family: &'static Family,
    /// From which all instances were drawn.
    pub seed: u64,
    /// carom, with the worse of its solvers where several must pass.
    pub carom: PlayerReport,
    /// Each of carom's solvers where several must pass, then the peers.
    pub players: Vec<PlayerReport>,
    /// Instances that carom failed.
    pub failures: Vec<Failure>,
    /// Instances that fell in carom and in every peer.
    pub excused: u32,
    /// Gates of the whole family that do not hold, in words.
    pub missed: Vec<String>,
    /// Whether Box2D and Rapier played.
    pub with_peers: bool,
}

impl Report {
    /// Do all gates hold?
    pub fn holds(&self) -> bool {
        self.failures.is_empty() && self.missed.is_empty()
    }
}

/// What a player made of all instances.
#[derive(Clone, Debug)]
pub struct PlayerReport {
    /// `carom`, `box2d` or `rapier`; where several of carom's solvers must pass, also `default` and `direct`.
    pub name: &'static str,
    /// How many it played: engines differ in which shapes they have.
    pub instances: u32,
    /// How many passed every gate.
    pub passed: u32,
    /// How many stood.
    pub stood: u32,
    /// By measure.
    pub measures: Vec<MeasureReport>,
}

/// A measure over all instances that have it; not a number where none has. Infinite: fell or exploded.
#[derive(Clone, Copy, Debug)]
pub struct MeasureReport {
    /// The largest value.
    pub worst: f64,
    /// The middle value.
    pub median: f64,
}

/// An instance that carom failed.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Number of the instance.
    pub instance: u32,
    /// The solver.
    pub player: &'static str,
    /// The instance, and which gates it failed.
    pub note: String,
}

/// Plays instances of a family, with `threads` threads. Results do not depend on their number.
pub fn run(
    family: &'static Family,
    seed: u64,
    instances: impl Iterator<Item = u32>,
    peers: bool,
    threads: usize,
) -> Report {
    let mut players = family.own.to_vec();
    if peers && family.peers {
        players.extend([Player::Box2d, Player::Rapier]);
    }
    let instances: Vec<u32> = instances.collect();
    let jobs: Vec<(u32, Player)> = instances.iter().flat_map(|&k| players.iter().map(move |&p| (k, p))).collect();
    let outcomes = play_all(family, seed, &jobs, threads);
    let by_instance: Vec<&[Played]> = outcomes.chunks(players.len()).collect();
    gather(family, seed, &instances, &players, &by_instance)
}

/// An outcome, or why there is none.
type Played = Result<Outcome, Unsupported>;

fn play_all(family: &'static Family, seed: u64, jobs: &[(u32, Player)], threads: usize) -> Vec<Played> {
    let next = AtomicUsize::new(0);
    let slots: Vec<Mutex<Option<Played>>> = jobs.iter().map(|_| Mutex::new(None)).collect();
    let work = || {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(&(instance, player)) = jobs.get(index) else { return };
            let played = (family.play)(&mut rng_of(seed, family.name, instance), player);
            *slots[index].lock().expect("no thread panics while it holds the lock") = Some(played);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads.clamp(1, jobs.len().max(1)) {
            scope.spawn(work);
        }
        work();
    });
    let taken = |slot: Mutex<Option<Played>>| slot.into_inner().expect("no poison").expect("every job was done");
    slots.into_iter().map(taken).collect()
}

fn gather(family: &'static Family, seed: u64, instances: &[u32], players: &[Player], played: &[&[Played]]) -> Report {
    let with_peers = players.iter().any(|player| !player.is_own());
    let (mut failures, mut excused) = (Vec::new(), 0);
    let mut passed = vec![0; players.len()];
    let mut passed_by_all = 0;
    for (&instance, outcomes) in instances.iter().zip(played) {
        let stands = |p: usize| outcomes[p].as_ref().is_ok_and(|outcome| outcome.stands);
        let peer_stands = (0..players.len()).any(|p| !players[p].is_own() && stands(p));
        let (mut all_pass, mut any_excused) = (true, false);
        for (p, player) in players.iter().enumerate() {
            let Ok(outcome) = &outcomes[p] else {
                all_pass &= !player.is_own();
                continue;
            };
            let excuse = player.is_own() && !outcome.stands && may_fall(family.standing, with_peers, peer_stands);
            let missed = if excuse { Vec::new() } else { missed_gates(family, outcome) };
            passed[p] += u32::from(missed.is_empty());
            any_excused |= excuse;
            if player.is_own() && !missed.is_empty() {
                all_pass = false;
                let note = format!("{}: {}", outcome.note, missed.join(", "));
                failures.push(Failure { instance, player: player.name(), note });
            }
        }
        passed_by_all += u32::from(all_pass);
        excused += u32::from(any_excused);
    }
    let of = |own: fn(Player) -> bool| -> Vec<usize> { (0..players.len()).filter(|&p| own(players[p])).collect() };
    let mut carom = summarise(family, "carom", &of(Player::is_own), played);
    carom.passed = passed_by_all;
    let mut reports: Vec<PlayerReport> = Vec::new();
    for (p, player) in players.iter().enumerate() {
        if family.own.len() > 1 || !player.is_own() {
            let name = if *player == Player::Carom { "default" } else { player.name() };
            reports.push(PlayerReport { passed: passed[p], ..summarise(family, name, &[p], played) });
        }
    }
    let missed = missed_by_all(family, &carom, &reports);
    Report { family, seed, carom, players: reports, failures, excused, missed, with_peers }
}

/// Is an instance that fell excused?
fn may_fall(standing: Standing, with_peers: bool, peer_stands: bool) -> bool {
    match standing {
        Standing::NotAsked | Standing::Always => false,
        Standing::WherePeersStand => with_peers && !peer_stands,
        Standing::WherePeersStandOnly => !peer_stands,
    }
}

/// The gates that an instance misses, in words.
fn missed_gates(family: &Family, outcome: &Outcome) -> Vec<String> {
    if family.standing != Standing::NotAsked && !outcome.stands {
        return vec!["fell".to_string()];
    }
    let each = family.measures.iter().zip(&outcome.values);
    let missed =
        each.filter_map(|(measure, &value)| value.filter(|&value| !measure.passes(value)).map(|v| (measure, v)));
    missed.map(|(measure, value)| format!("{} {value:.3e}", measure.name)).collect()
}

/// The gates that hold for the median of all instances.
fn missed_by_all(family: &Family, carom: &PlayerReport, players: &[PlayerReport]) -> Vec<String> {
    let mut missed = Vec::new();
    for (i, measure) in family.measures.iter().enumerate() {
        let median = carom.measures[i].median;
        let too_large = |limit: f64| median > limit;
        if measure.holds != Holds::Each && measure.gate.is_some_and(too_large) {
            missed.push(format!("{}: {median:.3e}", measure.name));
        }
        let box2d = players.iter().find(|player| player.name == Player::Box2d.name());
        let beside = box2d.map(|player| player.measures[i].median).filter(|&box2d| too_large(1.05 * box2d));
        if let (Holds::MedianBesideBox2d, Some(box2d)) = (measure.holds, beside) {
            missed.push(format!("median of {}: {median:.3e} where Box2D has {box2d:.3e}", measure.name));
        }
    }
    missed
}

/// Statistics over some players: of each instance the worst of them counts.
fn summarise(family: &Family, name: &'static str, which: &[usize], played: &[&[Played]]) -> PlayerReport {
    let outcomes_of = |outcomes: &[Played]| -> Vec<Outcome> {
        which.iter().filter_map(|&p| outcomes[p].as_ref().ok().cloned()).collect()
    };
    let all: Vec<Vec<Outcome>> =
        played.iter().map(|outcomes| outcomes_of(outcomes)).filter(|o| !o.is_empty()).collect();
    let measure = |(i, _): (usize, &Measure)| {
        let worst = |outcomes: &Vec<Outcome>| {
            let values = outcomes.iter().filter_map(|outcome| outcome.values.get(i).copied().flatten());
            values.reduce(larger)
        };
        statistics(all.iter().filter_map(worst).collect())
    };
    PlayerReport {
        name,
        instances: all.len() as u32,
        passed: 0,
        stood: all.iter().filter(|outcomes| outcomes.iter().all(|outcome| outcome.stands)).count() as u32,
        measures: family.measures.iter().enumerate().map(measure).collect(),
    }
}

/// The largest and the middle value. Values that are not numbers count as infinite.
fn statistics(mut values: Vec<f64>) -> MeasureReport {
    values.iter_mut().filter(|value| value.is_nan()).for_each(|value| *value = f64::INFINITY);
    values.sort_by(f64::total_cmp);
    let Some(&worst) = values.last() else { return MeasureReport { worst: f64::NAN, median: f64::NAN } };
    let (low, high) = (values[(values.len() - 1) / 2], values[values.len() / 2]);
    let median = if low == high { low } else { 0.5 * (low + high) };
    MeasureReport { worst, median }
}
