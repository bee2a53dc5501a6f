//! Two players over a bad line, by rollback: each side goes on at once with what it guesses of the other's input, and when
//! a guess turns out wrong, goes back to the last frame for which both inputs are known and plays what followed again.
//!
//! Run with `cargo run --release --example rollback`.

use carom_core::Rng;
use carom2d::prelude::*;
use std::collections::VecDeque;

const DT: f32 = 1.0 / 60.0;
const FRAMES: usize = 600;
/// The most frames that are ever guessed: a side that would have to guess more waits.
const WINDOW: usize = 8;

/// A court with two paddles and some balls.
fn court() -> (World, [BodyId; 2]) {
    let mut world = World::new(WorldDef { gravity: vec2(0.0, -4.0), ..WorldDef::default() });
    let walls = world.add_body(BodyDef::fixed()).expect("a valid body");
    let corners = [vec2(-8.0, 0.0), vec2(-8.0, 9.0), vec2(8.0, 9.0), vec2(8.0, 0.0)];
    world.add_shape(walls, ShapeDef::chain_loop(&corners)).expect("a valid shape");
    let paddles = [-4.0, 4.0].map(|x| {
        let paddle = world.add_body(BodyDef { position: vec2(x, 1.0), ..BodyDef::kinematic() }).expect("a valid body");
        world.add_shape(paddle, ShapeDef::rectangle(2.0, 0.4)).expect("a valid shape");
        paddle
    });
    for i in 0..40 {
        let position = vec2(-3.5 + (i % 8) as f32, 3.0 + (i / 8) as f32);
        let ball = world.add_body(BodyDef { position, ..BodyDef::dynamic() }).expect("a valid body");
        world.add_shape(ball, ShapeDef { restitution: 0.8, ..ShapeDef::circle(0.3) }).expect("a valid shape");
    }
    (world, paddles)
}

/// What a player wants in a frame: left, right or neither. They change their minds every few frames.
fn input_of(player: usize, frame: usize) -> i8 {
    let mut rng = Rng::new((1 + player * 1000 + frame / 12) as u64);
    rng.below(3) as i8 - 1
}

/// One side of the game.
struct Side {
    player: usize,
    world: World,
    paddles: [BodyId; 2],
    /// Inputs of both players by frame, as far as they are known, and what the other's was taken for.
    known: [Vec<i8>; 2],
    guessed: Vec<i8>,
    /// The state before each of the last frames. The buffers go round, so saving allocates nothing after a while.
    states: VecDeque<Vec<u8>>,
    /// How many frames were played, and how many were played again.
    frame: usize,
    again: usize,
}

impl Side {
    fn new(player: usize) -> Side {
        let (world, paddles) = court();
        let (known, states) = ([Vec::new(), Vec::new()], VecDeque::from(vec![Vec::new(); WINDOW + 1]));
        Side { player, world, paddles, known, guessed: Vec::new(), states, frame: 0, again: 0 }
    }

    /// Plays one frame, by the other's input if that is known, and else by a guess: the last one known.
    fn play(&mut self) {
        let other = &self.known[1 - self.player];
        let guess = other.get(self.frame).or(other.last()).copied().unwrap_or(0);
        self.guessed.truncate(self.frame);
        self.guessed.push(guess);
        let mut state = self.states.pop_front().expect("one for each frame of the window");
        self.world.save(&mut state);
        self.states.push_back(state);
        for player in 0..2 {
            let input = if player == self.player { self.known[player][self.frame] } else { guess };
            let paddle = self.paddles[player];
            let x = self.world.body(paddle).position().x;
            let speed = if x * f32::from(input) < 6.5 { 6.0 * f32::from(input) } else { 0.0 };
            self.world.body_mut(paddle).set_velocity(vec2(speed, 0.0)).expect("a finite velocity");
        }
        self.world.step(DT);
        self.frame += 1;
    }

    /// Takes in what came over the line: the other's inputs from a frame on.
    fn receive(&mut self, first: usize, inputs: &[i8]) {
        let known = &mut self.known[1 - self.player];
        let before = known.len();
        if first <= before && first + inputs.len() > before {
            known.extend(&inputs[before - first..]);
        }
        let wrong = (before..self.frame.min(known.len())).find(|&frame| known[frame] != self.guessed[frame]);
        if let Some(wrong) = wrong {
            let back = self.frame - wrong;
            let state = &self.states[self.states.len() - back];
            self.world.restore(state).expect("a snapshot of this world");
            // What was saved of the frames to come is void.
            self.states.rotate_right(back);
            self.frame = wrong;
            self.again += back;
            (0..back).for_each(|_| self.play());
        }
    }

    /// A frame may be played if no more than the window of them are guessed, the game over included.
    fn may_play(&self) -> bool {
        self.frame < FRAMES && self.frame < self.known[1 - self.player].len() + WINDOW
    }
}

fn main() {
    let mut sides = [Side::new(0), Side::new(1)];
    let mut line = Rng::new(7);
    // Packets on their way: when they arrive, to whom, from which frame on, and the inputs.
    let mut packets: Vec<(usize, usize, usize, Vec<i8>)> = Vec::new();
    let mut lost = 0;
    for tick in 0.. {
        for side in &mut sides {
            if side.may_play() {
                // One's own input is known at once.
                side.known[side.player].push(input_of(side.player, side.frame));
                side.play();
            }
            // Every packet has all inputs of late, so that the next one replaces one that is lost.
            let own = &side.known[side.player];
            let first = own.len().saturating_sub(3 * WINDOW);
            // A third is lost; the others take two to seven ticks, and overtake each other.
            if line.below(3) > 0 {
                let arrival = tick + 2 + line.below(6) as usize;
                packets.push((arrival, 1 - side.player, first, own[first..].to_vec()));
            } else {
                lost += 1;
            }
        }
        for (_, to, first, inputs) in packets.extract_if(.., |packet| packet.0 <= tick) {
            sides[to].receive(first, &inputs);
        }
        if sides.iter().all(|side| side.frame == FRAMES && side.known.iter().all(|known| known.len() == FRAMES)) {
            break;
        }
    }
    for side in &sides {
        let bytes = side.states.back().map_or(0, Vec::len);
        println!(
            "player {}: {} frames, {} of them played again, {bytes} bytes a snapshot, hash {:016x}",
            side.player,
            side.frame,
            side.again,
            side.world.state_hash()
        );
    }
    println!("{lost} packets were lost");
    assert_eq!(sides[0].world.state_hash(), sides[1].world.state_hash(), "both sides play the same game");
}
