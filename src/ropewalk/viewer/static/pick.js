// Which part lies under a pixel, and what is told of it.

const REACH = 10; // pixels around the pointer

// Nearest of the segments to a pixel: [distance in pixels, number, share along], or null.
function nearestSegment(segments, camera, lift, x, y) {
  let best = null;
  for (let k = 0; k < segments.length / 8; k++) {
    const a = camera.project([segments[8 * k], segments[8 * k + 1], segments[8 * k + 2] * lift]);
    const b = camera.project([segments[8 * k + 4], segments[8 * k + 5], segments[8 * k + 6] * lift]);
    if (!a || !b) continue;
    const dx = b[0] - a[0], dy = b[1] - a[1], square = dx * dx + dy * dy;
    const share = square > 0 ? clamp(((x - a[0]) * dx + (y - a[1]) * dy) / square, 0, 1) : 0;
    const distance = Math.hypot(x - a[0] - share * dx, y - a[1] - share * dy);
    if (distance <= REACH && (!best || distance < best[0])) best = [distance, k, share];
  }
  return best;
}

// Distance along a ray to the nearest triangle of a shape that stands at `place` turned by `rows`; Infinity if none.
function hitShape(ray, shape, rows, place, lift) {
  let nearest = Infinity;
  const world = (i) => {
    const v = [shape.vertices[3 * i], shape.vertices[3 * i + 1], shape.vertices[3 * i + 2]];
    const p = add(rows.map((row) => dot(row, v)), place);
    return [p[0], p[1], p[2] * lift];
  };
  for (let k = 0; k < shape.triangles.length; k += 3) {
    const a = world(shape.triangles[k]), e = sub(world(shape.triangles[k + 1]), a), f = sub(world(shape.triangles[k + 2]), a);
    const h = cross(ray.along, f), det = dot(e, h);
    if (Math.abs(det) < 1e-18) continue;
    const from = sub(ray.from, a), u = dot(from, h) / det, q = cross(from, e), v = dot(ray.along, q) / det;
    const t = dot(f, q) / det;
    if (u >= 0 && v >= 0 && u + v <= 1 && t > 0 && t < nearest) nearest = t;
  }
  return nearest;
}

// The part under a pixel: {kind, index, node} or null. Marks win over lines, lines over surfaces.
function pickAt(scene, variant, state, camera, lift, x, y) {
  for (let k = 0; k < scene.points.length; k++) {
    const at = camera.project([state.points[3 * k], state.points[3 * k + 1], state.points[3 * k + 2] * lift]);
    if (at && Math.hypot(at[0] - x, at[1] - y) <= REACH) return { kind: "point", index: k };
  }
  const hit = nearestSegment(lineSegments(scene, state), camera, lift, x, y);
  if (hit) {
    let line = 0;
    while (line + 2 < scene.lineStart.length && hit[1] >= scene.lineStart[line + 1] - line - 1) line++;
    return { kind: "line", index: line, node: hit[1] + line + Math.round(hit[2]) };
  }
  const ray = camera.ray(x, y), square = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
  let best = null, nearest = Infinity;
  scene.bodies.forEach((body, k) => {
    const t = hitShape(ray, body.shape, rotationRows(fourfold(state.bodyQuaternion, k)),
      triple(state.bodyPosition, k), lift);
    if (t < nearest) { nearest = t; best = { kind: "body", index: k }; }
  });
  variant.rods.forEach((shape) => {
    const t = hitShape(ray, shape, square, [0, 0, 0], lift);
    if (t < nearest) { nearest = t; best = { kind: "rod", index: shape.rod }; }
  });
  if (best) return best;
  const twine = scene.nets.length ? nearestSegment(barSegments(scene, state), camera, lift, x, y) : null;
  if (!twine) return null;
  let net = 0;
  while (net + 2 < scene.barStart.length && twine[1] >= scene.barStart[net + 1]) net++;
  return { kind: "net", index: net, bar: twine[1] };
}

const PARTS = { point: "points", line: "lines", body: "bodies", rod: "rods", net: "nets" };

// Label and text of what is known of a picked part at this moment.
function factsOf(scene, variant, state, picked) {
  const part = scene[PARTS[picked.kind]][picked.index], facts = part.facts.map((fact) => fact.slice());
  const metres = (values) => [0, 1, 2].map((i) => (values[i] + scene.origin[i]).toFixed(3)).join(", ");
  const force = (value) => { const [f, p] = prefix(Math.abs(value)); return `${figure(value * f)} ${p}N`; };
  if (picked.kind === "point") {
    facts.push(["position (m)", metres(triple(state.points, picked.index))]);
  } else if (picked.kind === "line") {
    const i = picked.node;
    facts.push(["at s", `${figure(scene.s[i])} m`], ["position (m)", metres(triple(state.position, i))]);
    if (variant.mode) facts.push(["dynamic tension", figure(state.tension[i])]);
    else if (scene.quantity.high > 0) lineTensions(scene, variant, state, picked, facts, force);
  } else if (picked.kind === "body") {
    facts.push(["position (m)", metres(triple(state.bodyPosition, picked.index))]);
    if (scene.sea.waves) {
      const [x, y] = state.bodyPosition.subarray(3 * picked.index, 3 * picked.index + 2);
      facts.push(["surface there (m)", elevationAt(scene.sea.waves, x, y, state.time).toFixed(3)]);
    }
    const angles = attitude(fourfold(state.bodyQuaternion, picked.index));
    facts.push(["roll, pitch, yaw (°)", angles.map((angle) => angle.toFixed(2)).join(", ")]);
  } else if (picked.kind === "net" && state.barTension.length) {
    const bars = state.barTension.subarray(scene.barStart[picked.index], scene.barStart[picked.index + 1]);
    facts.push(["largest tension of a bar", force(bars.reduce((most, value) => Math.max(most, value), 0))]);
    if (picked.bar !== undefined) facts.push(["tension of this bar", force(state.barTension[picked.bar])]);
  }
  return facts;
}

function lineTensions(scene, variant, state, picked, facts, force) {
  const [frame, share] = frameAt(variant.time, state.time), ends = arrayAt(variant.frames.end_tension, frame, share);
  facts.push(["tension here", force(state.tension[picked.node])]);
  if (ends.length) {
    facts.push(["at end A", force(ends[2 * picked.index])], ["at end B", force(ends[2 * picked.index + 1])]);
  }
  if (variant.time.length > 1) {
    const series = seriesOf(variant, "tension", picked.node, 1);
    if (!series) return;
    let low = Infinity, high = -Infinity;
    for (const value of series.values) { low = Math.min(low, value); high = Math.max(high, value); }
    facts.push(["here, least", force(low)], ["here, largest", force(high)]);
  }
}
