// Vectors, 4 x 4 matrices by columns, quaternions with the scalar first.

const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const scale = (a, f) => [a[0] * f, a[1] * f, a[2] * f];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const norm = (a) => Math.hypot(a[0], a[1], a[2]);
const unit = (a) => { const n = norm(a); return n > 0 ? scale(a, 1 / n) : [0, 0, 0]; };
const mix = (a, b, f) => a + (b - a) * f;
// Entry k of a flat array of triples or of quaternions.
const triple = (values, k) => values.subarray(3 * k, 3 * k + 3);
const fourfold = (values, k) => values.subarray(4 * k, 4 * k + 4);
const clamp = (x, low, high) => Math.min(high, Math.max(low, x));

function multiply(a, b) {
  const out = new Float64Array(16);
  for (let column = 0; column < 4; column++) {
    for (let row = 0; row < 4; row++) {
      let sum = 0;
      for (let k = 0; k < 4; k++) sum += a[4 * k + row] * b[4 * column + k];
      out[4 * column + row] = sum;
    }
  }
  return out;
}

function perspectiveMatrix(angle, aspect, near, far) {
  const f = 1 / Math.tan(angle / 2);
  return [f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) / (near - far), -1, 0, 0, 2 * far * near / (near - far), 0];
}

function orthographicMatrix(halfHeight, aspect, near, far) {
  return [1 / (halfHeight * aspect), 0, 0, 0, 0, 1 / halfHeight, 0, 0, 0, 0, 2 / (near - far), 0,
    0, 0, (far + near) / (near - far), 1];
}

// View from `eye` with the orthonormal axes right, up and back of the camera.
function viewMatrix(eye, right, up, back) {
  return [right[0], up[0], back[0], 0, right[1], up[1], back[1], 0, right[2], up[2], back[2], 0,
    -dot(right, eye), -dot(up, eye), -dot(back, eye), 1];
}

function transform(m, p) {
  const out = [0, 0, 0, 0];
  for (let row = 0; row < 4; row++) out[row] = m[row] * p[0] + m[4 + row] * p[1] + m[8 + row] * p[2] + m[12 + row];
  return out;
}

// Rotation matrix, three rows, of a quaternion.
function rotationRows(q) {
  const n = Math.hypot(q[0], q[1], q[2], q[3]) || 1;
  const [w, x, y, z] = [q[0] / n, q[1] / n, q[2] / n, q[3] / n];
  return [
    [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
    [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
    [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
  ];
}

// Quaternion of a rotation vector in the world, then of q.
function turned(q, v) {
  const angle = norm(v), f = angle > 0 ? Math.sin(angle / 2) / angle : 0.5;
  const a = Math.cos(angle / 2), b = scale(v, f), c = [q[1], q[2], q[3]];
  const w = a * q[0] - dot(b, c), u = add(add(scale(c, a), scale(b, q[0])), cross(b, c));
  return [w, u[0], u[1], u[2]];
}

// Roll, pitch, yaw in degrees: R = Rz(yaw) Ry(pitch) Rx(roll).
function attitude(q) {
  const [w, x, y, z] = q, degrees = 180 / Math.PI;
  return [
    Math.atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y)) * degrees,
    Math.asin(clamp(2 * (w * y - z * x), -1, 1)) * degrees,
    Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)) * degrees,
  ];
}

// A round step of 1, 2 or 5 times a power of ten that cuts `span` into about `count` parts.
function roundStep(span, count) {
  const rough = span / count, power = 10 ** Math.floor(Math.log10(rough));
  const share = rough / power;
  return (share < 1.5 ? 1 : share < 3.5 ? 2 : share < 7.5 ? 5 : 10) * power;
}

function decimals(step) {
  return Math.max(0, Math.min(6, -Math.floor(Math.log10(step) + 1e-9)));
}

// A number with about four digits.
function figure(x) {
  if (!Number.isFinite(x)) return "–";
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (size >= 1e6 || size < 1e-4) return x.toExponential(3);
  return size >= 1000 ? x.toFixed(0) : x.toPrecision(4);
}

// Unit prefix that makes `largest` readable: [factor, prefix].
function prefix(largest) {
  if (largest >= 1e6) return [1e-6, "M"];
  if (largest >= 1e3) return [1e-3, "k"];
  return [1, ""];
}
