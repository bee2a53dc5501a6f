//! Gymnasium's LunarLander and BipedalWalker, many at a time, on all cores and without Python's lock: what `carom.gym` stands
//! on. Each plays as Gymnasium's own environment does on the drop-in, to the bit where that computes in single precision.
//!
//! | file | what |
//! |---|---|
//! | `game.rs` | what both have in common |
//! | `lander.rs`, `walker.rs`, `terrain.rs` | the environments |
//! | `random.rs` | NumPy's generator |

mod game;
mod lander;
mod random;
mod terrain;
mod walker;

use crate::convert::{from_buffer, numbers};
use crate::error::{refused, value_error};
use carom_threads::Team;
use carom2d::DefError;
use game::Game;
use lander::{Lander, LanderDef};
use pyo3::prelude::*;
use pyo3::types::PyByteArray;
use random::Random;
use walker::Walker;

/// What happens to an environment whose episode has ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Autoreset {
    /// The next step begins the next episode and does nothing else.
    NextStep,
    /// The same step does, and its observation is that of the new episode.
    SameStep,
    /// Nothing: the caller resets it.
    Disabled,
}

/// One environment of a batch, with what it said last.
struct Seat {
    game: Box<dyn Game>,
    observation: Vec<f32>,
    /// The last observation of an episode, where the step that ended it began another.
    last: Vec<f32>,
    reward: f64,
    terminated: bool,
    truncated: bool,
    /// Steps of the episode.
    steps: u32,
    problem: Option<DefError>,
}

impl Seat {
    fn reset(&mut self) {
        self.steps = 0;
        (self.reward, self.terminated, self.truncated) = (0.0, false, false);
        self.problem = self.game.reset(&mut self.observation).err();
    }

    fn is_over(&self) -> bool {
        self.terminated || self.truncated
    }

    fn step(&mut self, action: &[f32], mode: Autoreset, most_steps: u32) {
        if mode == Autoreset::NextStep && self.is_over() {
            return self.reset();
        }
        match self.game.step(action, &mut self.observation) {
            Err(problem) => self.problem = Some(problem),
            Ok((reward, terminated)) => {
                self.steps += 1;
                let truncated = self.steps >= most_steps;
                if mode == Autoreset::SameStep && (terminated || truncated) {
                    self.last.copy_from_slice(&self.observation);
                    self.reset();
                }
                (self.reward, self.terminated, self.truncated) = (reward, terminated, truncated);
            }
        }
    }
}

/// Environments that step together; `carom.gym` makes them `gymnasium.vector.VectorEnv`.
#[pyclass(name = "GameBatch", module = "carom._carom", weakref)]
pub(crate) struct PyGames {
    seats: Vec<Seat>,
    team: Team,
    mode: Autoreset,
    most_steps: u32,
}

/// Fewer environments than this are not worth another thread.
const LEAST_SEATS: usize = 2;

impl PyGames {
    /// Calls a function for some environments, on as many threads as there are.
    fn each(&mut self, py: Python<'_>, work: impl Fn(usize, &mut Seat) + Sync + Send) -> PyResult<()> {
        let (seats, team) = (&mut self.seats, &self.team);
        py.detach(|| {
            let crew = team.call();
            let grain = crew.grain(seats.len(), LEAST_SEATS);
            crew.for_chunks(seats, grain, |first, piece| {
                piece.iter_mut().enumerate().for_each(|(place, seat)| work(first + place, seat));
            });
        });
        match self.seats.iter_mut().find_map(|seat| seat.problem.take()) {
            Some(problem) => Err(refused(problem)),
            None => Ok(()),
        }
    }

    /// A row of numbers for each environment, as an array of single precision.
    fn rows<'py>(&self, py: Python<'py>, row: impl Fn(&Seat) -> &[f32]) -> PyResult<Bound<'py, PyAny>> {
        let length = self.seats.first().map_or(0, |seat| seat.observation.len());
        let flat = self.column(py, "f4", 4 * length, |seat, bytes| {
            for (number, to) in row(seat).iter().zip(bytes.chunks_exact_mut(4)) {
                to.copy_from_slice(&number.to_ne_bytes());
            }
        })?;
        flat.call_method1("reshape", (self.seats.len(), length))
    }

    /// Some bytes for each environment, as an array.
    fn column<'py>(
        &self,
        py: Python<'py>,
        dtype: &str,
        size: usize,
        write: impl Fn(&Seat, &mut [u8]),
    ) -> PyResult<Bound<'py, PyAny>> {
        let bytes = PyByteArray::new_with(py, self.seats.len() * size, |bytes| {
            self.seats.iter().zip(bytes.chunks_exact_mut(size)).for_each(|(seat, to)| write(seat, to));
            Ok(())
        })?;
        from_buffer(py, &bytes, dtype)
    }

    fn flags<'py>(&self, py: Python<'py>, flag: impl Fn(&Seat) -> bool) -> PyResult<Bound<'py, PyAny>> {
        self.column(py, "?", 1, |seat, to| to[0] = u8::from(flag(seat)))
    }

    fn seat(&mut self, index: usize) -> PyResult<&mut Seat> {
        let count = self.seats.len();
        self.seats.get_mut(index).ok_or_else(|| value_error(format!("there is no environment {index} of {count}")))
    }
}

/// What a step hands out: observations, rewards, terminations, truncations, and the last observations of episodes.
type Stepped<'py> =
    (Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>, Option<Bound<'py, PyAny>>);

#[pymethods]
impl PyGames {
    #[new]
    // Keywords of Python, each an argument here.
    #[allow(clippy::too_many_arguments)]
    #[pyo3(signature = (
        name, count, *, most_steps, autoreset, threads = None, continuous = false, gravity = -10.0, wind = None,
        hardcore = false
    ))]
    fn new(
        name: &str,
        count: usize,
        most_steps: u32,
        autoreset: &str,
        threads: Option<usize>,
        continuous: bool,
        gravity: f64,
        wind: Option<[f64; 2]>,
        hardcore: bool,
    ) -> PyResult<PyGames> {
        if !(1..=1_000_000).contains(&count) {
            return Err(value_error(format!("num_envs is {count}; expected a whole number from 1 to 1000000")));
        }
        if most_steps == 0 {
            return Err(value_error("max_episode_steps is 0; expected a whole number of at least 1"));
        }
        let mode = match autoreset {
            "next_step" => Autoreset::NextStep,
            "same_step" => Autoreset::SameStep,
            "disabled" => Autoreset::Disabled,
            _ => return Err(value_error(format!("autoreset is {autoreset:?}"))),
        };
        let make = || -> Result<Box<dyn Game>, DefError> {
            Ok(match name {
                "lander" => Box::new(Lander::new(LanderDef { continuous, gravity, wind })?),
                _ => Box::new(Walker::new(hardcore)?),
            })
        };
        let seat = |_| {
            let game = make().map_err(refused)?;
            let nothing = vec![0.0; game.observed()];
            Ok(Seat {
                game,
                observation: nothing.clone(),
                last: nothing,
                reward: 0.0,
                terminated: false,
                truncated: false,
                steps: 0,
                problem: None,
            })
        };
        let seats = (0..count).map(seat).collect::<PyResult<Vec<Seat>>>()?;
        Ok(PyGames { seats, team: Team::new(threads.unwrap_or_else(Team::available)), mode, most_steps })
    }

    fn __len__(&self) -> usize {
        self.seats.len()
    }

    /// Gives an environment the numbers of `numpy.random.PCG64`, from its state and increment.
    fn seed(&mut self, index: usize, state: u128, increment: u128) -> PyResult<()> {
        *self.seat(index)?.game.random() = Random::new(state, increment);
        Ok(())
    }

    /// Begins an episode in all environments, or in those of a list. Returns the observations of all.
    #[pyo3(signature = (chosen = None))]
    fn reset<'py>(&mut self, py: Python<'py>, chosen: Option<Vec<usize>>) -> PyResult<Bound<'py, PyAny>> {
        let mut is_chosen = vec![chosen.is_none(); self.seats.len()];
        for index in chosen.into_iter().flatten() {
            self.seat(index)?;
            is_chosen[index] = true;
        }
        self.each(py, |index, seat| {
            if is_chosen[index] {
                seat.reset();
            }
        })?;
        self.rows(py, |seat| &seat.observation)
    }

    /// Makes a step in each environment. The last observations are there only if episodes ended and others began.
    fn step<'py>(&mut self, py: Python<'py>, actions: &Bound<'py, PyAny>) -> PyResult<Stepped<'py>> {
        let length = self.seats.first().map_or(0, |seat| seat.game.action_length());
        let shape: &[usize] = if length == 1 { &[self.seats.len()] } else { &[self.seats.len(), length] };
        let actions = numbers("actions", actions, shape)?;
        for (index, (seat, action)) in self.seats.iter().zip(actions.chunks_exact(length)).enumerate() {
            if let Some(bad) = seat.game.refused(action) {
                let expected = if length == 1 { "0, 1, 2 or 3" } else { "finite numbers" };
                return Err(value_error(format!("actions[{index}] has {bad} in it; expected {expected}")));
            }
        }
        let (mode, most_steps) = (self.mode, self.most_steps);
        self.each(py, |index, seat| seat.step(&actions[index * length..][..length], mode, most_steps))?;
        let has_last = mode == Autoreset::SameStep && self.seats.iter().any(Seat::is_over);
        Ok((
            self.rows(py, |seat| &seat.observation)?,
            self.column(py, "f8", 8, |seat, to| to.copy_from_slice(&seat.reward.to_ne_bytes()))?,
            self.flags(py, |seat| seat.terminated)?,
            self.flags(py, |seat| seat.truncated)?,
            if has_last { Some(self.rows(py, |seat| &seat.last)?) } else { None },
        ))
    }

    /// A hash of the state of each world.
    #[getter]
    fn state_hashes(&self) -> Vec<u64> {
        self.seats.iter().map(|seat| seat.game.state_hash()).collect()
    }
}
