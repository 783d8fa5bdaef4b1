// The page: controls, playing, and what is told of a picked part.

const byId = (id) => document.getElementById(id);
// Pages of a simulation under way have `Live` of live.js too, those of long results `Stream` of stream.js.
const MODE_SECONDS = 3; // one period of a mode takes this long at speed 1
const SLOW = 50, LEAST_QUALITY = 0.5; // ms between pictures, and share of the pixels along an edge that are kept
const MOST_OPEN = 2; // doubts whose sentences are shown at once
const MOST_LIFT = 50; // largest vertical exaggeration

function fillFacts(list, facts) {
  list.replaceChildren();
  for (const [label, text] of facts) {
    const term = document.createElement("dt"), told = document.createElement("dd");
    term.textContent = label;
    told.textContent = text;
    list.append(term, told);
  }
}

function fillList(list, sentences) {
  list.replaceChildren(...sentences.map((text) => {
    const item = document.createElement("li");
    item.textContent = text;
    return item;
  }));
}

// Their names; their sentences too where those are few enough to leave the picture free.
function showDoubts(doubts) {
  const codes = [...new Set(doubts.map(([code]) => code))].join(", ");
  fillList(byId("doubts"), doubts.map(([code, text]) => `${code}: ${text}`));
  byId("doubted-number").textContent = `${doubts.length === 1 ? "1 doubt" : `${doubts.length} doubts`}: ${codes}`;
  byId("doubted").open = doubts.length <= MOST_OPEN;
  byId("doubted").hidden = !doubts.length;
}

function sentence(text) {
  byId("sentence").textContent = text;
  byId("sentence").hidden = false;
  for (const id of ["panel", "legend", "timebar", "picked"]) byId(id).hidden = true;
}

class Page {
  constructor(scene, viewer) {
    this.scene = scene; this.viewer = viewer;
    this.pictures = 0; this.playing = false; this.wanted = false; this.last = 0; this.speed = 1;
    this.colouring = scene.quantity.label === "tension" ? "tension" : "";
    this.dark = window.matchMedia("(prefers-color-scheme: dark)");
    this.plot = new Plot(byId("plot"), (t) => this.seek(t));
    this.fillHead();
    this.fillLegend();
    this.fillParts();
    this.fillColouring();
    this.wire();
    this.setVariant(clamp(scene.first, 0, scene.variants.length - 1));
    this.reset("home");
    this.readAddress();
  }

  get theme() { return this.dark.matches ? THEMES.dark : THEMES.light; }
  get moves() { return this.scene.live || this.viewer.variant.time.length > 1 || Boolean(this.viewer.variant.mode); }

  // Part of the window that nothing covers: [left, top, right, bottom], pixels.
  get free() {
    const width = byId("stage").clientWidth, height = byId("stage").clientHeight, wide = width > 700;
    const panel = byId("panel").classList.contains("folded") ? 0 : 252;
    const left = this.scene.live ? 360 : this.preset === "top" ? 330 : 90; // from above the bed fills the corner of the legend
    return [wide ? left : 10, 50, wide ? width - panel - 16 : width - 10, height - (this.moves ? 84 : 44)];
  }

  fillHead() {
    const { title, notes, trouble, doubts } = this.scene;
    document.title = title ? `${title} – ropewalk` : "ropewalk";
    byId("title").textContent = title || "ropewalk";
    byId("trouble").textContent = trouble;
    byId("trouble").hidden = !trouble;
    fillList(byId("notes"), notes);
    byId("about").hidden = !notes.length;
    showDoubts(doubts);
  }

  fillLegend() {
    const { quantity, sea, maps } = this.scene, known = quantity.high > quantity.low;
    fillFacts(byId("sea-facts"), sea.facts);
    byId("bar").hidden = byId("legend-ticks").hidden = !known;
    byId("legend").hidden = !known && !sea.facts.length;
    if (!known) return;
    const largest = Math.max(Math.abs(quantity.low), Math.abs(quantity.high));
    const [factor, letter] = quantity.unit === "N" ? prefix(largest) : [1, ""];
    byId("legend-title").textContent = quantity.unit ? `${quantity.label} (${letter}${quantity.unit})` : quantity.label;
    byId("legend-ticks").replaceChildren();
    const map = quantity.diverging ? maps.diverging : maps.sequential, pen = byId("bar").getContext("2d");
    const image = pen.createImageData(256, 1);
    for (let i = 0; i < 256; i++) image.data.set([map[3 * i], map[3 * i + 1], map[3 * i + 2], 255], 4 * i);
    pen.putImageData(image, 0, 0);
    for (const share of [0, 0.25, 0.5, 0.75, 1]) {
      const tick = document.createElement("span");
      tick.textContent = Number((mix(quantity.low, quantity.high, share) * factor).toPrecision(3)).toString();
      byId("legend-ticks").append(tick);
    }
  }

  // Other quantities than the one the file comes with are worked out on the page.
  fillColouring() {
    const { scene } = this, known = this.colouring && !scene.variants.some((variant) => variant.mode);
    const choices = known && scene.lines.length ? colourings(scene) : [];
    byId("colour-row").hidden = choices.length < 2;
    for (const name of choices) byId("colour").append(new Option(name, name));
    this.tensions = scene.quantity;
  }

  colourBy(name) {
    if (![...byId("colour").options].some((option) => option.value === name)) return;
    byId("colour").value = name;
    this.colouring = this.viewer.colouring = name;
    this.scene.quantity = name === "tension" ? this.tensions : rangeOf(this.scene, this.viewer.variant, name);
    this.fillLegend();
    this.redraw();
  }

  fillParts() {
    const choice = byId("part");
    for (const [kind, name] of Object.entries(PARTS)) {
      this.scene[name].forEach((part, k) => choice.append(new Option(`${part.name} (${kind})`, `${kind}:${k}`)));
    }
    this.scene.variants.forEach((variant, k) => byId("variant").append(new Option(variant.label, String(k))));
    byId("variants").hidden = this.scene.variants.length < 2;
  }

  setVariant(k) {
    const viewer = this.viewer, variant = this.scene.variants[k];
    viewer.variant = variant;
    viewer.time = clamp(viewer.time, variant.time[0], variant.time[variant.time.length - 1]);
    byId("variant").value = String(k);
    fillFacts(byId("variant-facts"), variant.facts);
    byId("timebar").hidden = !this.moves;
    byId("amplitude-row").hidden = !variant.mode;
    for (const id of ["legend", "picked"]) byId(id).classList.toggle("low", !this.moves);
    byId("time").min = variant.mode ? 0 : variant.time[0];
    byId("time").max = variant.mode ? 2 * Math.PI : variant.time[variant.time.length - 1];
    this.setReach(Number(byId("amplitude").value));
    this.pick(null);
  }

  setReach(share) {
    this.viewer.reach = 0.2 * share * this.viewer.size;
    byId("amplitude-value").textContent = `${figure(this.viewer.reach)} m at most`;
    this.redraw();
  }

  setLift(share) {
    const viewer = this.viewer, lift = Math.round(10 * MOST_LIFT ** share) / 10;
    viewer.camera.target[2] *= lift / viewer.lift;
    viewer.lift = lift;
    byId("exaggeration-value").textContent = String(lift);
    this.redraw();
  }

  reset(name) {
    const camera = this.viewer.camera;
    [camera.yaw, camera.pitch] = name === "home" ? this.viewer.homeAngles() : PRESETS[name];
    this.perspective(name === "home");
    const stage = byId("stage");
    this.preset = name;
    this.viewer.fit(stage.clientWidth, stage.clientHeight, this.free);
    this.redraw();
  }

  // A window of another size shows the same view as long as nobody has moved it.
  resized() {
    if (this.preset) this.reset(this.preset); else this.redraw();
  }

  perspective(on) {
    this.viewer.camera.perspective = on;
    byId("perspective").checked = on;
  }

  seek(t) {
    const viewer = this.viewer, { time } = viewer.variant;
    if (viewer.variant.mode) viewer.phase = t; else viewer.time = clamp(t, time[0], time[time.length - 1]);
    this.redraw();
  }

  play(on) {
    this.playing = on && this.moves;
    byId("play").setAttribute("aria-pressed", String(this.playing));
    byId("play").textContent = this.playing ? "pause" : "play";
    const { time } = this.viewer.variant, end = time[time.length - 1];
    if (this.playing && !this.viewer.variant.mode && this.viewer.time >= end) this.viewer.time = time[0];
    this.last = 0;
    this.redraw();
  }

  pick(part) {
    this.viewer.picked = part;
    byId("picked").hidden = !part;
    byId("part").value = part ? `${part.kind}:${part.index}` : "";
    if (part) {
      const kinds = ["line", "point", "body"], moving = this.viewer.variant.time.length > 1;
      byId("picked-name").textContent = this.scene[PARTS[part.kind]][part.index].name;
      byId("trace").hidden = !moving || !kinds.includes(part.kind);
      byId("trace").textContent = this.traced(part) >= 0 ? "remove its path" : "trace its path";
      byId("plot-box").hidden = !moving || part.kind !== "line";
      if (moving && part.kind === "line") this.plotLine(part);
    }
    if (this.live) this.live.picked(part);
    this.redraw();
  }

  plotLine(part) {
    const { variant } = this.viewer, { curves } = this.theme, list = [];
    const ends = seriesOf(variant, "end_tension", part.index, 2), here = seriesOf(variant, "tension", part.node, 1);
    if (!ends || !here) return; // a stream calls again
    if (ends.values.length) {
      for (const [end, colour] of [[0, curves[2]], [1, curves[1]]]) {
        list.push({ values: ends.time.map((_, f) => ends.values[2 * f + end]), colour });
      }
    }
    list.push({ values: here.values, colour: curves[0] });
    this.plot.set(here.time, list);
    const names = ["end A grey", "end B red", "here blue"].slice(list.length === 3 ? 0 : 2);
    this.caption = `over time (s): ${names.join(", ")}`;
  }

  traced(part) {
    return this.viewer.traces.findIndex((t) => t.kind === part.kind && t.index === part.index && t.node === part.node);
  }

  toggleTrace() {
    const part = this.viewer.picked, at = this.traced(part);
    if (at >= 0) this.viewer.traces.splice(at, 1); else this.viewer.traces.push({ ...part });
    this.pick(part);
  }

  choosePart(value) {
    const [kind, text] = value.split(":"), index = Number(text);
    if (!kind) return this.pick(null);
    const { lineStart } = this.scene;
    return this.pick({ kind, index, node: kind === "line" ? (lineStart[index] + lineStart[index + 1]) >> 1 : undefined });
  }

  redraw() {
    if (this.wanted) return;
    this.wanted = true;
    requestAnimationFrame((now) => { this.wanted = false; this.frame(now); });
  }

  frame(now) {
    const viewer = this.viewer, variant = viewer.variant;
    if (this.playing) {
      const step = this.last ? Math.min(0.25, (now - this.last) / 1000) * this.speed : 0;
      this.last = now;
      if (variant.mode) {
        viewer.phase = (viewer.phase + 2 * Math.PI * step / MODE_SECONDS) % (2 * Math.PI);
      } else {
        const end = variant.time[variant.time.length - 1];
        viewer.time += step;
        if (viewer.time > end) viewer.time = variant.time[0] + (viewer.time - end) % (end - variant.time[0]);
      }
    }
    this.keepPace(now);
    this.pictures += 1;
    const state = viewer.draw(this.theme, this.free);
    if (this.moves) {
      byId("time").value = variant.mode ? viewer.phase : viewer.time;
      const degrees = (viewer.phase * 180 / Math.PI).toFixed(0);
      byId("clock").textContent = variant.mode ? `phase ${degrees}°` : `t = ${viewer.time.toFixed(2)} s`;
    }
    if (viewer.picked) {
      fillFacts(byId("picked-facts"), factsOf(this.scene, variant, state, viewer.picked));
      if (!byId("plot-box").hidden) {
        this.plot.draw(viewer.time, this.theme);
        byId("plot-caption").textContent = `tension (${this.plot.unit}) ${this.caption}`;
      }
    }
    if (this.playing) this.redraw();
    if (this.live) this.live.drawn();
  }

  // Fewer pixels while pictures come slower than SLOW, all of them again when it stands still.
  keepPace(now) {
    const { graphics } = this.viewer, busy = this.playing || (this.live && this.live.isRunning);
    const gap = now - (this.before || now);
    this.before = now;
    if (!busy) { graphics.quality = 1; this.gap = 0; return; }
    if (gap > 0 && gap < 1000) this.gap = this.gap ? 0.9 * this.gap + 0.1 * gap : gap;
    if (this.gap > SLOW && graphics.quality > LEAST_QUALITY) { graphics.quality *= 0.85; this.gap = 0.7 * SLOW; }
    else if (this.gap < 0.4 * SLOW && graphics.quality < 1) { graphics.quality = Math.min(1, graphics.quality / 0.85); this.gap = 0.6 * SLOW; }
  }

  // Scene, writing and colour bar in one picture.
  save() {
    this.viewer.draw(this.theme, this.free);
    const source = byId("scene"), canvas = document.createElement("canvas"), pen = canvas.getContext("2d");
    canvas.width = source.width; canvas.height = source.height;
    pen.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--paper");
    pen.fillRect(0, 0, canvas.width, canvas.height);
    pen.drawImage(source, 0, 0);
    pen.drawImage(byId("overlay"), 0, 0);
    this.saveLegend(pen, source.width / source.clientWidth, source.clientHeight);
    canvas.toBlob((blob) => {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(blob);
      link.download = "ropewalk.png";
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    });
  }

  saveLegend(pen, ratio, height) {
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.fillStyle = this.theme.ink;
    pen.font = FONT;
    pen.fillText(byId("title").textContent, 16, 24);
    if (byId("bar").hidden || byId("legend").hidden) return;
    pen.fillText(byId("legend-title").textContent, 16, height - 52);
    pen.drawImage(byId("bar"), 16, height - 44, 220, 12);
    const told = [...byId("legend-ticks").children].map((tick) => tick.textContent);
    pen.textAlign = "center";
    told.forEach((text, k) => pen.fillText(text, 22 + 208 * k / (told.length - 1), height - 18));
  }

  wire() {
    const redraw = () => this.redraw(), viewer = this.viewer, canvas = byId("scene");
    const hand = {
      take: (x, y) => Boolean(this.live) && this.live.take(x, y),
      drag: (x, y, level) => this.live.drag(x, y, level),
      drop: () => this.live.drop(),
    };
    steer(canvas, viewer.camera, () => { this.preset = null; redraw(); }, (x, y) => {
      this.pick(pickAt(this.scene, viewer.variant, viewer.state, viewer.camera, viewer.lift, x, y));
    }, hand);
    canvas.addEventListener("dblclick", (event) => this.centre(event));
    for (const name of ["home", "side", "end", "top"]) byId(`view-${name}`).addEventListener("click", () => this.reset(name));
    for (const name of ["labels", "axes", "water", "bed", "arrows", "marks"]) {
      byId(`show-${name}`).addEventListener("change", (event) => { viewer.show[name] = event.target.checked; redraw(); });
    }
    byId("perspective").addEventListener("change", (event) => { this.perspective(event.target.checked); redraw(); });
    byId("exaggeration").addEventListener("input", (event) => this.setLift(Number(event.target.value)));
    byId("amplitude").addEventListener("input", (event) => this.setReach(Number(event.target.value)));
    byId("variant").addEventListener("change", (event) => this.setVariant(Number(event.target.value)));
    byId("colour").addEventListener("change", (event) => this.colourBy(event.target.value));
    byId("part").addEventListener("change", (event) => this.choosePart(event.target.value));
    byId("unpick").addEventListener("click", () => this.pick(null));
    byId("trace").addEventListener("click", () => this.toggleTrace());
    byId("save").addEventListener("click", () => this.save());
    byId("play").addEventListener("click", () => this.play(!this.playing));
    byId("time").addEventListener("input", (event) => this.seek(Number(event.target.value)));
    byId("speed").addEventListener("change", (event) => {
      this.speed = Number(event.target.value);
      if (this.live) this.live.send({ do: "speed", value: this.speed });
    });
    byId("fold").addEventListener("click", () => this.fold(!byId("panel").classList.contains("folded")));
    window.addEventListener("resize", () => this.resized());
    this.dark.addEventListener("change", redraw);
    document.addEventListener("keydown", (event) => this.key(event));
    canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
    canvas.addEventListener("webglcontextrestored", () => { viewer.graphics.start(); redraw(); });
    if (window.innerWidth <= 700) this.fold(true);
  }

  fold(on) {
    byId("panel").classList.toggle("folded", on);
    byId("fold").setAttribute("aria-expanded", String(!on));
    this.resized();
  }

  // Turn about the part that was clicked twice.
  centre(event) {
    const viewer = this.viewer, box = byId("scene").getBoundingClientRect(), state = viewer.state;
    const x = event.clientX - box.left, y = event.clientY - box.top;
    const part = pickAt(this.scene, viewer.variant, state, viewer.camera, viewer.lift, x, y);
    if (!part) return;
    this.pick(part);
    const place = viewer.pickedPlace(state) || (part.kind === "body" ? triple(state.bodyPosition, part.index) : null);
    if (place) viewer.camera.target = [place[0], place[1], place[2] * viewer.lift];
    this.redraw();
  }

  key(event) {
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) && event.key !== "Escape") return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === " " && event.target.tagName === "BUTTON") return;
    const camera = this.viewer.camera;
    const move = (x, y) => (event.shiftKey ? camera.pan(-20 * x, -20 * y) : camera.turn(10 * x, 10 * y));
    const step = (n) => {
      const { time } = this.viewer.variant, [frame] = frameAt(time, this.viewer.time + 1e-9);
      this.seek(time[clamp(frame + n, 0, time.length - 1)]);
    };
    const actions = {
      ArrowLeft: () => move(1, 0), ArrowRight: () => move(-1, 0), ArrowUp: () => move(0, 1), ArrowDown: () => move(0, -1),
      "+": () => camera.zoom(0.85), "=": () => camera.zoom(0.85), "-": () => camera.zoom(1 / 0.85),
      " ": () => this.play(!this.playing), r: () => this.reset("home"), 1: () => this.reset("side"), 2: () => this.reset("end"),
      3: () => this.reset("top"), l: () => byId("show-labels").click(), ",": () => step(-1), ".": () => step(1),
      Escape: () => this.pick(null),
    };
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action) return;
    event.preventDefault();
    if (event.key.startsWith("Arrow") || "+=-".includes(event.key)) this.preset = null;
    action();
    this.redraw();
  }

  // Pixels at which the points and bodies are now.
  places() {
    const { viewer, scene } = this, { state, camera, lift } = viewer, out = [];
    const put = (kind, values) => (part, k) => {
      const p = triple(values, k);
      out.push({ kind, name: part.name, at: camera.project([p[0], p[1], p[2] * lift]).slice(0, 2) });
    };
    scene.points.forEach(put("point", state.points));
    scene.bodies.forEach(put("body", state.bodyPosition));
    return out;
  }

  // What stands behind # in the address: view, t, variant, lift, pick (kind:name), play. So a link can say what to look at.
  readAddress() {
    const wanted = new URLSearchParams(location.hash.slice(1)), number = (name) => Number.parseFloat(wanted.get(name));
    if (number("variant") >= 1) this.setVariant(clamp(Math.floor(number("variant")), 1, this.scene.variants.length) - 1);
    if (number("lift") >= 1) {
      byId("exaggeration").value = String(Math.log(Math.min(number("lift"), MOST_LIFT)) / Math.log(MOST_LIFT));
      this.setLift(Number(byId("exaggeration").value));
    }
    if (Number.isFinite(number("t"))) this.seek(number("t"));
    if (wanted.has("colour")) this.colourBy(wanted.get("colour"));
    const [kind, ...name] = (wanted.get("pick") || "").split(":");
    if (PARTS[kind]) {
      const index = this.scene[PARTS[kind]].findIndex((part) => part.name === name.join(":"));
      if (index >= 0) this.choosePart(`${kind}:${index}`);
    }
    if (wanted.has("trace") && this.viewer.picked) this.toggleTrace();
    if (wanted.has("view") || wanted.has("lift")) this.reset(PRESETS[wanted.get("view")] ? wanted.get("view") : "home");
    if (wanted.has("play")) this.play(true);
  }
}

async function main() {
  const scene = readScene(byId("data").textContent);
  let graphics;
  try {
    graphics = new Graphics(byId("scene"), scene);
  } catch (error) {
    document.title = scene.title || "ropewalk";
    byId("title").textContent = scene.title;
    sentence(`This browser cannot draw the view: WebGL2 is missing or disabled (${error.message}). ` +
      "Use a current browser with hardware acceleration, or `ropewalk plot` for 2D plots.");
    return;
  }
  const stream = scene.stream ? new Stream(scene, scene.stream) : null;
  if (stream) await stream.start();
  const page = new Page(scene, new Viewer(scene, graphics, new Overlay(byId("overlay"))));
  if (scene.live) page.live = new Live(page, scene.live);
  if (stream) stream.page = page;
  window.ropewalk = page; // for the console, and for tests in a browser
}
