// A simulation under way: pictures come over a WebSocket, the hand and the controls go back.

const HISTORY = 60; // s of tension in the strip
const MOST_CURVES = 8; // lines in the strip; those with the largest tension
const GRIP = 14; // pixels around a point or the origin of a body that can be taken hold of
const SETTLE = 250; // ms after which a control that is moved is sent

// The two parts of a message: what is told as text, and the arrays of one moment.
function decodeFrame(buffer) {
  const length = new DataView(buffer).getUint32(0, true), text = new TextDecoder().decode(new Uint8Array(buffer, 4, length));
  const head = JSON.parse(text), frames = {};
  let at = 4 + length;
  for (const [name, shape] of Object.entries(head.shapes)) {
    const count = shape.reduce((product, n) => product * n, 1);
    frames[name] = { shape: [1, ...shape], values: new Float32Array(buffer, at, count) };
    at += 4 * count;
  }
  return { head, frames };
}

class Live {
  constructor(page, known) {
    this.page = page; this.grips = known.grips; this.canCut = known.cut;
    this.sent = new Map(); this.number = 0; this.seen = 0; this.latency = [];
    this.pictures = 0; this.time = []; this.ends = []; this.head = null; this.hold = null; this.touched = {};
    for (const id of ["live", "live-sea", "live-reset", "live-record", "live-status"]) byId(id).hidden = false;
    byId("time").hidden = true;
    byId("live").append(byId("doubted")); // the strip covers its place
    document.body.classList.add("is-live");
    page.play = () => this.pause(!(this.head && this.head.paused));
    this.wire();
    this.connect();
  }

  connect() {
    this.socket = new WebSocket(`ws://${location.host}${location.pathname}`);
    this.socket.binaryType = "arraybuffer";
    this.socket.onmessage = (event) => this.receive(event.data);
    this.socket.onclose = () => {
      byId("live-status").textContent = "the simulation has ended";
      document.body.classList.add("is-over");
    };
  }

  send(command) {
    if (this.socket.readyState !== WebSocket.OPEN) return;
    this.number += 1;
    this.sent.set(this.number, performance.now());
    this.socket.send(JSON.stringify({ ...command, n: this.number }));
  }

  receive(data) {
    const { head, frames } = decodeFrame(data), { viewer } = this.page;
    for (const name of Object.keys(frames)) {
      for (const value of frames[name].values) if (!Number.isFinite(value)) return; // never drawn
    }
    if (this.head && head.time < this.head.time) this.forget(head.time);
    this.head = head;
    if (viewer.variant.frames.position.values.length === frames.position.values.length) {
      viewer.variant.before = { position: viewer.variant.frames.position.values, time: viewer.time };
    }
    viewer.variant.frames = frames;
    viewer.variant.time = [head.time];
    viewer.time = head.time;
    if ("surface" in head) this.setSurface(head.surface);
    this.remember(head.time, frames.end_tension.values, frames.tension.values);
    this.pending = head.seen;
    this.page.redraw();
  }

  setSurface(waves) {
    const { scene, viewer } = this.page;
    scene.sea.waves = waves;
    viewer.graphics.setCells(waves ? waves.cells : 1);
  }

  // Called after a picture was drawn: how long did the commands in it take?
  drawn() {
    const now = performance.now();
    this.pictures += 1;
    if (this.pending > this.seen) {
      this.seen = this.pending;
      for (const [number, at] of this.sent) {
        if (number > this.seen) break;
        this.latency.push(now - at);
        this.sent.delete(number);
      }
      if (this.latency.length > 400) this.latency.splice(0, this.latency.length - 400);
      const sorted = [...this.latency].sort((a, b) => a - b);
      document.body.dataset.latency = sorted[sorted.length >> 1].toFixed(1);
      document.body.dataset.latencyWorst = sorted[Math.floor(0.95 * (sorted.length - 1))].toFixed(1);
    }
    if (this.head) this.show();
  }

  show() {
    const { head } = this, status = byId("live-status");
    const pace = head.paused ? "paused" : `${head.real.toFixed(head.real < 10 ? 2 : 0)}× real time`;
    status.textContent = head.calming ? `${pace}, damped` : pace;
    status.classList.toggle("calming", head.calming);
    byId("clock").textContent = `t = ${head.time.toFixed(2)} s`;
    byId("play").textContent = head.paused ? "run" : "pause";
    byId("play").setAttribute("aria-pressed", String(!head.paused));
    byId("live-record").textContent = head.recording ? `stop (${head.rows})` : "record";
    byId("live-record").setAttribute("aria-pressed", String(Boolean(head.recording)));
    this.notes(head.notes);
    this.doubts(head.doubts);
    this.controls(head);
    this.strip();
    Object.assign(document.body.dataset, { time: head.time, failures: head.failures, held: head.held });
  }

  doubts(doubts) {
    const key = JSON.stringify(doubts);
    if (key === this.doubted) return;
    this.doubted = key;
    showDoubts(doubts);
  }

  notes(notes) {
    const key = JSON.stringify(notes);
    if (key === this.told) return;
    this.told = key;
    byId("live-notes").replaceChildren(...notes.map(([t, text]) => {
      const item = document.createElement("li");
      item.textContent = `${t.toFixed(1)} s: ${text}`;
      return item;
    }));
  }

  // Controls follow the sea, but for those that are being moved.
  controls(head) {
    const put = (id, value) => { if (!this.touched[id]) byId(id).value = String(value); };
    for (const name of ["current", "wind"]) {
      put(`${name}-speed`, head.sea[name][0]);
      put(`${name}-heading`, head.sea[name][1]);
      byId(`${name}-value`).textContent = `${head.sea[name][0].toFixed(2)} m/s towards ${head.sea[name][1].toFixed(0)}°`;
    }
    const { waves } = head.sea;
    const height = waves ? waves.height ?? waves.significant_height : 0, period = waves ? waves.period ?? waves.peak_period : 0;
    const kind = !waves ? "none" : waves.kind === "regular" ? "regular" : "jonswap";
    put("waves-kind", kind);
    if (waves && Number.isFinite(height) && Number.isFinite(period)) {
      put("waves-height", height); put("waves-period", period); put("waves-heading", waves.heading);
      byId("waves-value").textContent = `${height.toFixed(1)} m, ${period.toFixed(1)} s`;
    } else {
      byId("waves-value").textContent = waves ? "as in the case" : "";
    }
  }

  // --- the hand ---

  // The point or body under a pixel that can be moved; near ones too, as small hulls are hard to hit.
  gripAt(x, y) {
    const { viewer, scene } = this.page, { state, camera, lift } = viewer;
    let best = null, nearest = GRIP;
    const near = (kind, values) => (part, index) => {
      const p = triple(values, index), at = camera.project([p[0], p[1], p[2] * lift]);
      const off = at ? Math.hypot(at[0] - x, at[1] - y) : Infinity;
      if (this.grips[part.name] && off < nearest) { nearest = off; best = { kind, index }; }
    };
    scene.points.forEach(near("point", state.points));
    scene.bodies.forEach(near("body", state.bodyPosition));
    if (best) return best;
    const part = pickAt(scene, viewer.variant, state, camera, lift, x, y);
    return part && part.kind === "body" && this.grips[scene.bodies[part.index].name] ? part : null;
  }

  take(x, y) {
    const { viewer } = this.page, part = this.gripAt(x, y);
    if (!part) return false;
    const values = part.kind === "point" ? viewer.state.points : viewer.state.bodyPosition;
    const place = triple(values, part.index);
    this.hold = { part, at: [place[0], place[1], place[2] * viewer.lift], moved: false };
    this.hold.shift = sub(this.hold.at, this.under(x, y, false) || this.hold.at);
    return true;
  }

  // Where the pointer is in the plane through the part that faces the eye, or level.
  under(x, y, level) {
    const { camera } = this.page.viewer, ray = camera.ray(x, y), normal = level ? [0, 0, 1] : camera.axes().back;
    const slope = dot(ray.along, normal);
    if (Math.abs(slope) < 0.05) return null;
    const t = dot(sub(this.hold.at, ray.from), normal) / slope;
    return t > 0 ? add(ray.from, scale(ray.along, t)) : null;
  }

  drag(x, y, level) {
    const place = this.under(x, y, level);
    if (!place) return;
    const goal = add(place, this.hold.shift), { lift } = this.page.viewer, { kind, index } = this.hold.part;
    const command = { place: [goal[0], goal[1], goal[2] / lift] };
    this.send(this.hold.moved ? { do: "move", ...command } : { do: "grab", kind, index, ...command });
    this.hold.moved = true;
    this.page.scene.held = this.hold.part;
    this.page.viewer.hand = command.place;
  }

  drop() {
    if (this.hold.moved) this.send({ do: "release" });
    this.hold = this.page.scene.held = null;
    this.page.viewer.hand = null;
  }

  get isRunning() { return Boolean(this.head) && !this.head.paused; }

  pause(on) { this.send({ do: "pause", on }); }

  // --- the strip of tensions ---

  remember(t, ends, tension) {
    if (this.time.length && t <= this.time[this.time.length - 1]) return;
    this.time.push(t);
    this.ends.push(Float32Array.from({ length: ends.length / 2 }, (_, k) => Math.max(ends[2 * k], ends[2 * k + 1])));
    while (this.time.length > 2 && t - this.time[0] > HISTORY) { this.time.shift(); this.ends.shift(); }
    const { quantity } = this.page.scene;
    let high = 0;
    for (const value of tension) high = Math.max(high, value);
    if (this.page.colouring === "tension" && high > quantity.high) { // the colours must go as high as the tension
      quantity.high = 1.25 * high;
      this.page.fillLegend();
    }
  }

  forget(t) {
    while (this.time.length && this.time[this.time.length - 1] >= t) { this.time.pop(); this.ends.pop(); }
  }

  strip() {
    const now = performance.now();
    if (this.time.length < 2 || now - (this.stripped || 0) < 80) return;
    this.stripped = now;
    const { scene, theme } = this.page, last = this.ends[this.ends.length - 1];
    const order = [...last.keys()].sort((a, b) => last[b] - last[a]).slice(0, MOST_CURVES).sort((a, b) => a - b);
    const plot = this.plot || (this.plot = new Plot(byId("strip"), () => {}));
    plot.set(this.time, order.map((k) => ({ values: this.ends.map((row) => row[k]), colour: theme.lines[k % theme.lines.length] })));
    plot.draw(this.time[this.time.length - 1], theme);
    const caption = byId("strip-caption"), key = order.join() + plot.unit;
    if (this.captioned === key) return;
    this.captioned = key;
    caption.replaceChildren(`larger end tension (${plot.unit}): `, ...order.map((k) => {
      const name = document.createElement("span");
      name.textContent = `${scene.lines[k].name} `;
      name.style.color = theme.lines[k % theme.lines.length];
      return name;
    }));
  }

  // --- controls ---

  picked(part) {
    const { scene } = this.page, line = part && part.kind === "line" ? scene.lines[part.index].name : null;
    byId("cut").hidden = !line || !this.canCut || Boolean(this.head && this.head.cuts[line] !== undefined);
    byId("length-row").hidden = !line || !this.head;
    if (!line || !this.head) return;
    const length = this.head.lengths[line];
    byId("length").dataset.length = String(length);
    byId("length").value = "1";
    byId("length-value").textContent = `${figure(length)} m`;
  }

  later(key, ids, make) {
    for (const id of ids) this.touched[id] = true;
    this.timers ||= {};
    clearTimeout(this.timers[key]);
    this.timers[key] = setTimeout(() => {
      this.send(make());
      setTimeout(() => { for (const id of ids) this.touched[id] = false; }, 8000); // while it is brought on
    }, SETTLE);
  }

  wire() {
    const value = (id) => Number(byId(id).value);
    for (const name of ["current", "wind"]) {
      const ids = [`${name}-speed`, `${name}-heading`];
      const make = () => ({ do: name, speed: value(ids[0]), heading: value(ids[1]) });
      for (const id of ids) byId(id).addEventListener("input", () => this.later(name, ids, make));
    }
    const ids = ["waves-kind", "waves-height", "waves-period", "waves-heading"];
    const waves = () => ({
      do: "waves", kind: byId("waves-kind").value, height: value("waves-height"), period: value("waves-period"), heading: value("waves-heading"),
    });
    for (const id of ids) byId(id).addEventListener("input", () => {
      if (id === "waves-kind" && byId(id).value !== "none" && value("waves-height") === 0) byId("waves-height").value = "2";
      if (id !== "waves-kind" && byId("waves-kind").value === "none") byId("waves-kind").value = "regular";
      this.later("waves", ids, waves);
    });
    byId("length").addEventListener("input", (event) => {
      const goal = Number(event.target.dataset.length) * value("length");
      byId("length-value").textContent = `${figure(goal)} m`;
      const { picked } = this.page.viewer;
      if (picked) this.later("length", [], () => ({ do: "length", line: this.page.scene.lines[picked.index].name, length: goal }));
    });
    byId("cut").addEventListener("click", () => {
      const { picked } = this.page.viewer, { scene } = this.page;
      if (!picked || picked.kind !== "line") return;
      this.send({ do: "cut", line: scene.lines[picked.index].name, s: scene.s[picked.node] });
      byId("cut").hidden = true;
    });
    byId("live-reset").addEventListener("click", () => this.send({ do: "reset" }));
    byId("live-record").addEventListener("click", () => this.send({ do: "record", on: !(this.head && this.head.recording) }));
  }
}
