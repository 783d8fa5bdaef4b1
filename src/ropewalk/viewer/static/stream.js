// Records of a long result, asked for in pieces as they are needed.

const KEPT_CHUNKS = 24; // pieces that are kept; the server makes them of about 2 MB

class Stream {
  constructor(scene, told) {
    Object.assign(this, { scene, ...told, chunks: new Map(), asked: new Map(), found: new Map(), page: null });
    const variant = scene.variants[0];
    this.variant = variant;
    let offset = 0;
    for (const [name, shape] of Object.entries(this.shapes)) {
      const size = shape.reduce((product, n) => product * n, 1), start = offset;
      variant.frames[name] = {
        shape: [this.total, ...shape],
        at: (frame) => this.frame(frame, start, size),
        isHere: (t) => this.chunks.has(Math.floor(frameAt(variant.time, t)[0] / this.chunk)),
        series: (index) => this.series(name, index),
      };
      offset += size;
    }
    this.numbers = offset; // of a record
  }

  start() { return this.load(0); }

  async ask(name) {
    const answer = await fetch(`${location.pathname}${name}`);
    if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
    return new Float32Array(await answer.arrayBuffer());
  }

  load(number) {
    if (number * this.chunk >= this.total || this.chunks.has(number)) return Promise.resolve();
    if (!this.asked.has(number)) {
      this.asked.set(number, this.ask(`chunk/${number}`).then((values) => {
        this.asked.delete(number);
        this.chunks.set(number, values);
        while (this.chunks.size > KEPT_CHUNKS) this.chunks.delete(this.chunks.keys().next().value);
        if (this.page) this.page.redraw();
      }).catch(() => this.asked.delete(number)));
    }
    return this.asked.get(number);
  }

  // An array of one record: of the nearest record that is here while its own is on the way.
  frame(frame, start, size) {
    let number = Math.floor(frame / this.chunk);
    this.load(number);
    this.load(number + 1);
    const count = (n) => Math.min(this.chunk, this.total - n * this.chunk);
    if (this.chunks.has(number)) {
      const values = this.chunks.get(number);
      this.chunks.delete(number); this.chunks.set(number, values); // used last
    } else {
      const here = [...this.chunks.keys()];
      number = here.reduce((best, n) => (Math.abs(n - number) < Math.abs(best - number) ? n : best), here[0]);
      frame = clamp(frame, number * this.chunk, number * this.chunk + count(number) - 1);
    }
    const within = frame - number * this.chunk, block = count(number);
    return this.chunks.get(number).subarray(start * block + within * size, start * block + (within + 1) * size);
  }

  // A curve over time; null while it is on the way.
  series(name, index) {
    const key = `series/${name}/${index}`;
    if (!this.found.has(key)) {
      this.found.set(key, null);
      this.ask(key).then((values) => {
        const width = { tension: 1, end_tension: 2 }[name] || 3, count = values.length / (width + 1);
        this.found.set(key, { time: values.subarray(0, count), values: values.subarray(count) });
        if (this.page) this.page.pick(this.page.viewer.picked);
      }).catch(() => {});
    }
    return this.found.get(key);
  }
}
