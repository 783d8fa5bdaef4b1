// The scene of the page: arrays out of base64, and where things are at a moment.

const KINDS = { f4: Float32Array, i4: Int32Array, u1: Uint8Array };

function unpack(entry) {
  const text = atob(entry.data), bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return { shape: entry.shape, values: new KINDS[entry.kind](bytes.buffer) };
}

function unpackShape(shape) {
  return {
    vertices: unpack(shape.vertices).values,
    normals: unpack(shape.normals).values,
    triangles: new Uint32Array(unpack(shape.triangles).values),
  };
}

function unpackAll(entries) {
  const out = {};
  for (const [name, entry] of Object.entries(entries)) out[name] = unpack(entry);
  return out;
}

function readScene(text) {
  const scene = JSON.parse(text);
  scene.s = unpack(scene.s).values;
  scene.bars = unpack(scene.bars).values;
  scene.strength = unpack(scene.strength).values;
  scene.sea.current = unpack(scene.sea.current);
  for (const body of scene.bodies) body.shape = unpackShape(body.shape);
  for (const variant of scene.variants) {
    variant.frames = unpackAll(variant.frames);
    variant.rods = variant.rods.map((rod) => ({ rod: rod.rod, ...unpackShape(rod) }));
    if (variant.mode) {
      variant.mode.real = unpackAll(variant.mode.real);
      variant.mode.imaginary = unpackAll(variant.mode.imaginary);
    }
  }
  scene.maps = { sequential: unpack(scene.maps.sequential).values, diverging: unpack(scene.maps.diverging).values };
  return scene;
}

// Number of the frame at or before time t, and how far it is to the next, 0 to 1.
function frameAt(time, t) {
  let low = 0, high = time.length - 1;
  if (high === 0 || t <= time[0]) return [0, 0];
  if (t >= time[high]) return [high, 0];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (time[middle] <= t) low = middle; else high = middle;
  }
  return [low, (t - time[low]) / (time[high] - time[low])];
}

// One array of one frame; entries of a stream have a way of their own to it.
function frameOf(entry, frame) {
  if (entry.at) return entry.at(frame);
  const size = entry.shape.slice(1).reduce((product, n) => product * n, 1);
  return entry.values.subarray(frame * size, (frame + 1) * size);
}

// Numbers `first` to `first + width` of all frames, as {time, values}; null while a stream still waits for them.
function seriesOf(variant, name, index, width) {
  const entry = variant.frames[name];
  if (entry.series) return entry.series(index);
  const frames = variant.time.length, out = new Float32Array(frames * width);
  for (let f = 0; f < frames; f++) out.set(frameOf(entry, f).subarray(index * width, (index + 1) * width), f * width);
  return { time: variant.time, values: out };
}

// One array at time t, linear between frames.
function arrayAt(entry, frame, share) {
  const a = frameOf(entry, frame), size = a.length;
  if (share === 0) return a;
  const b = frameOf(entry, frame + 1), out = new Float32Array(size);
  for (let i = 0; i < size; i++) out[i] = a[i] + (b[i] - a[i]) * share;
  return out;
}

// Quaternions at time t: linear between frames along the shorter way; readers make them unit again.
function quaternionsAt(entry, frame, share) {
  if (share === 0) return arrayAt(entry, frame, 0);
  const a = arrayAt(entry, frame, 0), b = arrayAt(entry, frame + 1, 0), out = new Float32Array(a.length);
  for (let i = 0; i < a.length; i += 4) {
    const same = a[i] * b[i] + a[i + 1] * b[i + 1] + a[i + 2] * b[i + 2] + a[i + 3] * b[i + 3] >= 0 ? 1 : -1;
    for (let k = i; k < i + 4; k++) out[k] = a[k] + (same * b[k] - a[k]) * share;
  }
  return out;
}

// Everything of a variant at time t.
function stateAt(variant, t) {
  const [frame, share] = frameAt(variant.time, t), f = variant.frames;
  return {
    time: t,
    position: arrayAt(f.position, frame, share),
    tension: arrayAt(f.tension, frame, share),
    points: arrayAt(f.points, frame, share),
    bodyPosition: arrayAt(f.body_position, frame, share),
    bodyQuaternion: quaternionsAt(f.body_quaternion, frame, share),
    knots: arrayAt(f.knots, frame, share),
    barTension: arrayAt(f.bar_tension, frame, share),
  };
}

const LARGEST_TURN = 0.6; // rad by which a mode is shown to turn a body; small rotations are all it is about

// A mode at a phase (rad), its most moved part by `reach` metres: rest + Re[shape exp(i phase)].
function modeAt(variant, phase, reach) {
  const rest = stateAt(variant, 0), mode = variant.mode, c = Math.cos(phase), s = Math.sin(phase);
  const part = (name) => {
    const re = mode.real[name].values, im = mode.imaginary[name].values, out = new Float32Array(re.length);
    for (let i = 0; i < re.length; i++) out[i] = re[i] * c - im[i] * s;
    return out;
  };
  const factor = Math.min(reach * mode.amplitude, mode.turn > 0 ? LARGEST_TURN / mode.turn : Infinity);
  const moved = (places, shape) => places.map((x, i) => x + factor * shape[i]);
  const bodies = part("bodies"), n = bodies.length / 6;
  const position = new Float32Array(rest.bodyPosition), quaternion = new Float32Array(rest.bodyQuaternion);
  for (let k = 0; k < n; k++) {
    for (let i = 0; i < 3; i++) position[3 * k + i] += factor * bodies[6 * k + i];
    const turn = [3, 4, 5].map((i) => factor * bodies[6 * k + i]);
    quaternion.set(turned(quaternion.slice(4 * k, 4 * k + 4), turn), 4 * k);
  }
  return {
    ...rest,
    position: moved(rest.position, part("position")),
    points: moved(rest.points, part("points")),
    tension: part("tension"),
    bodyPosition: position,
    bodyQuaternion: quaternion,
  };
}

// Segments [ax, ay, az, value a, bx, by, bz, value b] of all lines; values are the tension unless given.
function lineSegments(scene, state, values = state.tension) {
  const start = scene.lineStart, { position } = state, count = Math.max(0, position.length / 3 - (start.length - 1));
  const out = new Float32Array(8 * count);
  let at = 0;
  for (let line = 0; line + 1 < start.length; line++) {
    const cut = state.cuts ? state.cuts[line] : -1;
    for (let i = start[line]; i + 1 < start[line + 1]; i++) {
      if (i === cut) continue;
      const k = 3 * i;
      out[at] = position[k]; out[at + 1] = position[k + 1]; out[at + 2] = position[k + 2]; out[at + 3] = values[i];
      out[at + 4] = position[k + 3]; out[at + 5] = position[k + 4]; out[at + 6] = position[k + 5]; out[at + 7] = values[i + 1];
      at += 8;
    }
  }
  return out.subarray(0, at);
}

// The same segments with those shorter than `least` pixels joined to the next; for scenes that have very many.
function joinedSegments(segments, camera, lift, least) {
  const m = camera.matrix, w = camera.width / 2, h = camera.height / 2, out = new Float32Array(segments.length);
  let at = 0, fromX = 0, fromY = 0, open = false;
  const far = (x, y, z, keep) => {
    const q = m[3] * x + m[7] * y + m[11] * z + m[15], px = w * (m[0] * x + m[4] * y + m[8] * z + m[12]) / q;
    const py = h * (m[1] * x + m[5] * y + m[9] * z + m[13]) / q, off = Math.abs(px - fromX) + Math.abs(py - fromY);
    if (keep || !(q > 1e-9)) { fromX = px; fromY = py; }
    return q > 1e-9 ? off : Infinity;
  };
  for (let k = 0; k < segments.length; k += 8) {
    if (!open) {
      far(segments[k], segments[k + 1], segments[k + 2] * lift, true);
      out[at] = segments[k]; out[at + 1] = segments[k + 1]; out[at + 2] = segments[k + 2]; out[at + 3] = segments[k + 3];
    }
    const next = k + 8, x = segments[k + 4], y = segments[k + 5], z = segments[k + 6];
    const goesOn = next < segments.length && segments[next] === x && segments[next + 1] === y && segments[next + 2] === z;
    open = goesOn && far(x, y, z * lift, false) < least;
    if (!open) {
      out[at + 4] = x; out[at + 5] = y; out[at + 6] = z; out[at + 7] = segments[k + 7];
      at += 8;
    }
  }
  return out.subarray(0, at);
}

// The same of the twines of nets.
function barSegments(scene, state) {
  const bars = scene.bars, count = bars.length / 2, out = new Float32Array(8 * count);
  const known = state.barTension.length === count;
  for (let k = 0; k < count; k++) {
    const a = 3 * bars[2 * k], b = 3 * bars[2 * k + 1], value = known ? state.barTension[k] : 0;
    out.set(state.knots.subarray(a, a + 3), 8 * k);
    out.set(state.knots.subarray(b, b + 3), 8 * k + 4);
    out[8 * k + 3] = out[8 * k + 7] = value;
  }
  return out;
}

// Segments of a chain of points [x, y, z, ...] without values.
function chainSegments(points) {
  const count = Math.max(0, points.length / 3 - 1), out = new Float32Array(8 * count);
  for (let i = 0; i < count; i++) {
    out.set(triple(points, i), 8 * i);
    out.set(points.subarray(3 * i + 3, 3 * i + 6), 8 * i + 4);
  }
  return out;
}

// --- what lines can be coloured by ---

function colourings(scene) {
  const found = ["tension"];
  if (scene.strength && scene.strength.some((value) => value > 0)) found.push("utilisation");
  if (scene.live || scene.variants.some((variant) => variant.time.length > 1)) found.push("speed");
  return [...found, "curvature"];
}

// Values at the nodes of all lines.
function nodeValues(scene, variant, state, name) {
  if (name === "utilisation") return state.tension.map((value, i) => (scene.strength[i] > 0 ? value / scene.strength[i] : 0));
  if (name === "speed") return nodeSpeeds(variant, state);
  if (name === "curvature") return nodeCurvatures(scene, state.position);
  return state.tension;
}

// Speeds (m/s) between the records around a moment.
function nodeSpeeds(variant, state) {
  const out = new Float32Array(state.position.length / 3);
  let a, b, dt;
  if (variant.before) {
    [a, b, dt] = [variant.before.position, state.position, state.time - variant.before.time];
  } else {
    const { time, frames } = variant, last = time.length - 1;
    if (last < 1) return out;
    const frame = Math.min(frameAt(time, state.time)[0], last - 1);
    [a, b, dt] = [arrayAt(frames.position, frame, 0), arrayAt(frames.position, frame + 1, 0), time[frame + 1] - time[frame]];
  }
  if (!(dt > 0) || a.length !== b.length) return out;
  for (let i = 0, k = 0; i < out.length; i++, k += 3) {
    out[i] = Math.hypot(b[k] - a[k], b[k + 1] - a[k + 1], b[k + 2] - a[k + 2]) / dt;
  }
  return out;
}

// Curvature (1/m) of the circle through each node and its neighbours; ends have that of the node next to them.
function nodeCurvatures(scene, p) {
  const out = new Float32Array(p.length / 3), start = scene.lineStart;
  for (let line = 0; line + 1 < start.length; line++) {
    for (let i = start[line] + 1; i + 1 < start[line + 1]; i++) {
      const k = 3 * i, a = [0, 1, 2].map((j) => p[k + j] - p[k - 3 + j]), b = [0, 1, 2].map((j) => p[k + 3 + j] - p[k + j]);
      const sides = norm(a) * norm(b) * norm(add(a, b));
      out[i] = sides > 0 ? 2 * norm(cross(a, b)) / sides : 0;
    }
    if (start[line + 1] - start[line] > 2) {
      out[start[line]] = out[start[line] + 1];
      out[start[line + 1] - 1] = out[start[line + 1] - 2];
    }
  }
  return out;
}

const SAMPLED = 40; // moments that a range of colours is taken from
const UNITS = { utilisation: "", speed: "m/s", curvature: "1/m" };

function rangeOf(scene, variant, name) {
  const { time } = variant, high = { value: 0 }, step = scene.stream ? time.length : Math.max(1, Math.floor(time.length / SAMPLED));
  for (let f = 0; f < time.length; f += step) {
    for (const value of nodeValues(scene, variant, stateAt(variant, time[f]), name)) high.value = Math.max(high.value, value);
  }
  return { label: name, unit: UNITS[name], low: 0, high: high.value > 0 ? high.value : 1, diverging: false };
}

// Where lines leave the bed: [x, y, z] of each touchdown point.
function touchdowns(scene, state, room) {
  const out = [], { bed } = scene.sea, start = scene.lineStart, p = state.position;
  if (!bed || !scene.sea.solid) return out;
  const height = (i) => p[3 * i + 2] - bed[0] - bed[1] * p[3 * i] - bed[2] * p[3 * i + 1] - room;
  for (let line = 0; line + 1 < start.length; line++) {
    for (let i = start[line]; i + 1 < start[line + 1]; i++) {
      const a = height(i), b = height(i + 1);
      if ((a > 0) === (b > 0) || (i === start[line] && a > 0) || (i + 2 === start[line + 1] && b > 0 && start[line + 1] - start[line] > 2 && a > 0)) continue;
      const share = a === b ? 0 : a / (a - b);
      out.push([0, 1, 2].map((j) => p[3 * i + j] + share * (p[3 * i + 3 + j] - p[3 * i + j])));
    }
  }
  return out;
}

// Place of s (m) on a line.
function placeOn(scene, state, line, s) {
  const last = scene.lineStart[line + 1] - 1;
  let i = scene.lineStart[line];
  while (i + 1 < last && scene.s[i + 1] < s) i++;
  const share = clamp((s - scene.s[i]) / Math.max(scene.s[i + 1] - scene.s[i], 1e-9), 0, 1), p = state.position;
  return [0, 1, 2].map((j) => p[3 * i + j] + share * (p[3 * i + 3 + j] - p[3 * i + j]));
}

// Elevation of the surface at (x, y) of the page and time t.
function elevationAt(waves, x, y, t) {
  if (!waves) return 0;
  let sum = 0;
  for (let k = 0; k < waves.amplitude.length; k++) {
    sum += waves.amplitude[k] * Math.cos(waves.kx[k] * x + waves.ky[k] * y + waves.phase[k] - waves.omega[k] * t);
  }
  return broughtOn(waves, t) * sum;
}

// Share of the waves that is there at time t: 0 at the start of a run, 1 after the ramp.
function broughtOn(waves, t) {
  if (!(waves.ramp > 0) || t >= waves.ramp) return 1;
  const x = Math.max(0, t / waves.ramp);
  return x * x * x * (10 + x * (-15 + 6 * x));
}
