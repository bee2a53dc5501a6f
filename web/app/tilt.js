// From a device's sensors to gravity in the plane of its screen.
//
// Three frames:
//   device  x to the right edge, y to the top edge, z out of the glass, with the device in its natural orientation
//   screen  x to the right and y upwards as the page is shown: the device's frame turned by the screen's angle
//   earth   z away from the ground
//
// Nothing here touches the browser, so that Node can test it.

/** Standard gravity in m/s^2: what a device that only reports angles is taken to feel. */
export const STANDARD_GRAVITY = 9.80665;

/** Shaking cannot make gravity larger than this, in m/s^2: bricks must stay inside thin walls. */
export const STRONGEST = 4 * STANDARD_GRAVITY;

/** Changes smaller than this, in m/s^2, are noise of the sensor, and must not wake what rests. */
export const NOISE = 0.15;

/** Without a reading of acceleration for so long, in milliseconds, angles are used instead. */
export const SILENCE = 1000;

/**
 * Gravity in the device's frame from the angles of a `deviceorientation` event, in degrees.
 *
 * The event describes the rotation R = Rz(alpha) Rx(beta) Ry(gamma) from the device's frame to the earth's,
 * so gravity in the device's frame is R^T (0, 0, -g): minus g times the last row of R. Rz leaves that row as
 * it is, which is why alpha, the compass, does not matter:
 *
 *   (0, sin beta, cos beta) Ry(gamma) = (-cos beta sin gamma, sin beta, cos beta cos gamma)
 */
export function gravityFromAngles(beta, gamma) {
  const b = (beta * Math.PI) / 180;
  const c = (gamma * Math.PI) / 180;
  return {
    x: STANDARD_GRAVITY * Math.cos(b) * Math.sin(c),
    y: -STANDARD_GRAVITY * Math.sin(b),
    z: -STANDARD_GRAVITY * Math.cos(b) * Math.cos(c),
  };
}

/**
 * A vector of the device's frame in the plane of the screen.
 *
 * At the angle 90 the device was turned counter-clockwise by 90 degrees and the page stayed upright, so the
 * device's frame is turned counter-clockwise in the screen's, and its vectors are, too.
 */
export function toScreen({ x, y }, angle) {
  const [cos, sin] = quarter(angle);
  return { x: x * cos - y * sin, y: x * sin + y * cos };
}

/** Cosine and sine of a screen's angle, exact for the four there are. */
function quarter(angle) {
  const turns = (((Math.round(angle / 90) % 4) + 4) % 4);
  return [[1, 0], [0, 1], [-1, 0], [0, -1]][turns];
}

/** Whether two gravities of the screen are told apart from noise. */
export function differs(a, b) {
  return Math.hypot(a.x - b.x, a.y - b.y) > NOISE;
}

/**
 * Takes readings of both sensors and says what gravity is.
 *
 * `devicemotion` is preferred: it tells direction and strength at any moment, shaking included. Its sign is
 * not the same everywhere: by the standard a device flat on a table reads z = +9.8, the push of the table;
 * Apple's read -9.8, the pull of the earth. The angles have one meaning everywhere, so wherever both sensors
 * speak the angles decide; until then `appleLike` does.
 */
export class Tilt {
  #motion = null;
  #motionTime = -Infinity;
  #angles = null;
  #agreement;

  constructor({ appleLike = false } = {}) {
    this.#agreement = appleLike ? 1 : -1;
  }

  /** A reading of `accelerationIncludingGravity` at a time in milliseconds. Says whether there was a sensor. */
  acceleration(reading, time) {
    const vector = finite(reading?.x, reading?.y, reading?.z);
    // Without a sensor browsers report nulls, and emulated ones exact zeros.
    if (!vector || (vector.x === 0 && vector.y === 0 && vector.z === 0)) return false;
    this.#motion = vector;
    this.#motionTime = time;
    this.#compare();
    return true;
  }

  /** A reading of `deviceorientation`. Says whether there was a sensor. */
  angles(reading) {
    if (!Number.isFinite(reading?.beta) || !Number.isFinite(reading?.gamma)) return false;
    this.#angles = gravityFromAngles(reading.beta, reading.gamma);
    return true;
  }

  /** Gravity in the device's frame at a time in milliseconds, or null as long as no sensor has spoken. */
  gravity(time) {
    if (this.#motion && (time - this.#motionTime <= SILENCE || !this.#angles)) {
      const sign = this.#agreement > 0 ? 1 : -1;
      return limited({ x: sign * this.#motion.x, y: sign * this.#motion.y, z: sign * this.#motion.z });
    }
    return this.#angles;
  }

  /** Lets the angles vote on the sign of accelerations; a shake is a few votes among many. */
  #compare() {
    const [a, b] = [this.#motion, this.#angles];
    if (!b) return;
    const cosine = (a.x * b.x + a.y * b.y + a.z * b.z) / (Math.hypot(a.x, a.y, a.z) * STANDARD_GRAVITY);
    if (Math.abs(cosine) > 0.7) this.#agreement = 0.8 * this.#agreement + 0.2 * Math.sign(cosine);
  }
}

function finite(x, y, z) {
  return [x, y, z].every(Number.isFinite) ? { x, y, z } : null;
}

function limited(vector) {
  const length = Math.hypot(vector.x, vector.y, vector.z);
  const scale = length > STRONGEST ? STRONGEST / length : 1;
  return { x: vector.x * scale, y: vector.y * scale, z: vector.z * scale };
}
