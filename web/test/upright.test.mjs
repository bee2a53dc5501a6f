// Where fingers are in a picture that was turned back, without a browser.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inPicture } from '../app/upright.js';

// A page of 800 by 400 with a picture that was 400 by 800 before the page turned, and is turned back.
const [WIDTH, HEIGHT] = [800, 400];

test('a picture turned counter-clockwise has its top at the left of the page', () => {
  assert.deepEqual(inPicture({ x: 0, y: HEIGHT }, 90, WIDTH, HEIGHT), { x: 0, y: 0 });
  assert.deepEqual(inPicture({ x: 0, y: 0 }, 90, WIDTH, HEIGHT), { x: 400, y: 0 });
  assert.deepEqual(inPicture({ x: WIDTH, y: HEIGHT }, 90, WIDTH, HEIGHT), { x: 0, y: 800 });
});

test('a picture turned clockwise has its top at the right of the page', () => {
  assert.deepEqual(inPicture({ x: WIDTH, y: 0 }, 270, WIDTH, HEIGHT), { x: 0, y: 0 });
  assert.deepEqual(inPicture({ x: WIDTH, y: HEIGHT }, 270, WIDTH, HEIGHT), { x: 400, y: 0 });
  assert.deepEqual(inPicture({ x: 0, y: 0 }, 270, WIDTH, HEIGHT), { x: 0, y: 800 });
});

test('a picture upside down, and one that was not turned', () => {
  assert.deepEqual(inPicture({ x: 10, y: 20 }, 180, WIDTH, HEIGHT), { x: 790, y: 380 });
  assert.deepEqual(inPicture({ x: 10, y: 20 }, 0, WIDTH, HEIGHT), { x: 10, y: 20 });
});

test('the centre stays where it is', () => {
  for (const turn of [90, 270]) {
    assert.deepEqual(inPicture({ x: WIDTH / 2, y: HEIGHT / 2 }, turn, WIDTH, HEIGHT), { x: 200, y: 400 });
  }
});
