// The mathematics of tilt, without a browser.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { differs, gravityFromAngles, NOISE, SILENCE, STANDARD_GRAVITY, STRONGEST, Tilt, toScreen } from '../app/tilt.js';

const G = STANDARD_GRAVITY;

function near(actual, expected, tolerance = 1e-12) {
  for (const axis of Object.keys(expected)) {
    assert.ok(Math.abs(actual[axis] - expected[axis]) <= tolerance, `${JSON.stringify(actual)} is not ${JSON.stringify(expected)}`);
  }
}

test('the six ways to put a box on a table', () => {
  const cases = [
    ['upright', 90, 0, { x: 0, y: -G, z: 0 }],
    ['upside down', -90, 0, { x: 0, y: G, z: 0 }],
    ['on its left edge', 0, -90, { x: -G, y: 0, z: 0 }],
    ['on its right edge', 0, 90, { x: G, y: 0, z: 0 }],
    ['on its back', 0, 0, { x: 0, y: 0, z: -G }],
    ['on its face', 180, 0, { x: 0, y: 0, z: G }],
  ];
  for (const [name, beta, gamma, expected] of cases) {
    near(gravityFromAngles(beta, gamma), expected, 1e-9, name);
  }
});

// The definition itself: R = Rz(alpha) Rx(beta) Ry(gamma) as matrices, and its transpose times what the earth does.
test('angles give what the rotation matrix of the standard gives, whatever the compass says', () => {
  const multiply = (a, b) => a.map((row) => b[0].map((_, j) => row.reduce((sum, value, k) => sum + value * b[k][j], 0)));
  const radians = (degrees) => (degrees * Math.PI) / 180;
  for (let alpha = 0; alpha < 360; alpha += 50) {
    for (let beta = -180; beta < 180; beta += 23) {
      for (let gamma = -90; gamma < 90; gamma += 17) {
        const [ca, sa] = [Math.cos(radians(alpha)), Math.sin(radians(alpha))];
        const [cb, sb] = [Math.cos(radians(beta)), Math.sin(radians(beta))];
        const [cc, sc] = [Math.cos(radians(gamma)), Math.sin(radians(gamma))];
        const z = [[ca, -sa, 0], [sa, ca, 0], [0, 0, 1]];
        const x = [[1, 0, 0], [0, cb, -sb], [0, sb, cb]];
        const y = [[cc, 0, sc], [0, 1, 0], [-sc, 0, cc]];
        const r = multiply(multiply(z, x), y);
        const expected = { x: -G * r[2][0], y: -G * r[2][1], z: -G * r[2][2] };
        near(gravityFromAngles(beta, gamma), expected, 1e-9);
        assert.ok(Math.abs(Math.hypot(expected.x, expected.y, expected.z) - G) < 1e-9);
      }
    }
  }
});

// Hold the device still in the world with one edge down; whichever way the page was turned to be upright there,
// gravity points to the bottom of the page.
test('down is the bottom of a page that turned with the device', () => {
  const held = [
    [0, 90, 0],
    [90, 0, -90], // turned counter-clockwise: the left edge is at the bottom
    [180, -90, 0],
    [270, 0, 90], // turned clockwise: the right edge is at the bottom
  ];
  for (const [angle, beta, gamma] of held) {
    near(toScreen(gravityFromAngles(beta, gamma), angle), { x: 0, y: -G }, 1e-9);
  }
});

test('down moves along the edges of a page that does not turn', () => {
  near(toScreen(gravityFromAngles(0, -90), 0), { x: -G, y: 0 }, 1e-9);
  near(toScreen(gravityFromAngles(-90, 0), 0), { x: 0, y: G }, 1e-9);
  near(toScreen(gravityFromAngles(0, 90), 0), { x: G, y: 0 }, 1e-9);
});

test('angles of the screen beyond a turn, and below none', () => {
  for (const turns of [-4, 0, 4]) {
    near(toScreen({ x: 1, y: 2 }, 90 + 90 * turns), { x: -2, y: 1 });
  }
  near(toScreen({ x: 1, y: 2 }, -90), { x: 2, y: -1 });
});

test('flat on a table there is no gravity in the plane, half upright there is half of it', () => {
  near(toScreen(gravityFromAngles(0, 0), 90), { x: 0, y: 0 }, 1e-12);
  near(toScreen(gravityFromAngles(30, 0), 0), { x: 0, y: -G / 2 }, 1e-9);
});

test('accelerations by the standard are the push of the table', () => {
  const tilt = new Tilt();
  assert.equal(tilt.acceleration({ x: 0, y: 9.8, z: 0.5 }, 0), true);
  near(tilt.gravity(0), { x: 0, y: -9.8, z: -0.5 });
});

test('accelerations of Apple devices are the pull of the earth', () => {
  const tilt = new Tilt({ appleLike: true });
  tilt.acceleration({ x: 0, y: -9.8, z: -0.5 }, 0);
  near(tilt.gravity(0), { x: 0, y: -9.8, z: -0.5 });
});

test('angles put a wrong guess about the sign right, and a shake does not undo it', () => {
  for (const [appleLike, sign] of [[false, 1], [true, -1]]) {
    const tilt = new Tilt({ appleLike });
    tilt.angles({ alpha: 12, beta: 90, gamma: 0 });
    for (let time = 0; time < 200; time += 16) tilt.acceleration({ x: 0, y: -sign * 9.8, z: 0 }, time);
    near(tilt.gravity(200), { x: 0, y: -9.8, z: 0 });
    // Jerked downwards for two readings, faster than free fall: the bricks must fly up.
    tilt.acceleration({ x: 0, y: sign * 15, z: 0 }, 216);
    tilt.acceleration({ x: 0, y: sign * 15, z: 0 }, 232);
    near(tilt.gravity(232), { x: 0, y: 15, z: 0 });
    tilt.acceleration({ x: 0, y: -sign * 9.8, z: 0 }, 248);
    near(tilt.gravity(248), { x: 0, y: -9.8, z: 0 });
  }
});

test('angles are used where accelerations are missing or fall silent', () => {
  const tilt = new Tilt();
  assert.equal(tilt.gravity(0), null);
  tilt.angles({ alpha: null, beta: 90, gamma: 0 });
  near(tilt.gravity(0), { x: 0, y: -G, z: 0 }, 1e-9);
  tilt.acceleration({ x: -9.8, y: 0, z: 0 }, 100);
  near(tilt.gravity(100 + SILENCE), { x: 9.8, y: 0, z: 0 });
  near(tilt.gravity(101 + SILENCE), { x: 0, y: -G, z: 0 }, 1e-9);
});

test('accelerations stay in force where there are no angles', () => {
  const tilt = new Tilt();
  tilt.acceleration({ x: 1, y: 9.7, z: 0 }, 0);
  near(tilt.gravity(1e6), { x: -1, y: -9.7, z: 0 });
});

test('readings without numbers are no sensor', () => {
  const tilt = new Tilt();
  for (const reading of [null, undefined, {}, { x: null, y: null, z: null }, { x: 1, y: 2, z: NaN }, { x: 0, y: 0, z: 0 }]) {
    assert.equal(tilt.acceleration(reading, 0), false);
  }
  for (const reading of [null, {}, { alpha: null, beta: null, gamma: null }, { alpha: 1, beta: 2, gamma: null }]) {
    assert.equal(tilt.angles(reading), false);
  }
  assert.equal(tilt.gravity(0), null);
});

test('shaking is limited, its direction kept', () => {
  const tilt = new Tilt();
  tilt.acceleration({ x: -300, y: -400, z: 0 }, 0);
  near(tilt.gravity(0), { x: 0.6 * STRONGEST, y: 0.8 * STRONGEST, z: 0 }, 1e-9);
});

test('noise makes no difference', () => {
  assert.equal(differs({ x: 0, y: -9.8 }, { x: 0.9 * NOISE, y: -9.8 }), false);
  assert.equal(differs({ x: 0, y: -9.8 }, { x: 1.1 * NOISE, y: -9.8 }), true);
});
