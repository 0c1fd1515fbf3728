// The map: training documents as signs on two of the directions, coloured by class.
"use strict";
{
  const { element, options } = laconic;
  const SVG = "http://www.w3.org/2000/svg";
  const COLOURS = 10;
  const WORDS = 4;
  const NEAR = 14; // pixels from which a document is meant
  const FAR = 1e6; // farther than any place on the map
  const EDGE = { top: 12, right: 14, bottom: 24, left: 40 };
  const SHAPES = [
    "M-3.4,0a3.4,3.4 0 1,0 6.8,0a3.4,3.4 0 1,0 -6.8,0",
    "M-3,-3h6v6h-6z",
    "M0,-4L3.9,3H-3.9z",
    "M0,-4.3L4.3,0L0,4.3L-4.3,0z",
    "M-4,-1.4h2.6v-2.6h2.8v2.6h2.6v2.8h-2.6v2.6h-2.8v-2.6h-2.6z",
  ];
  const ARROWS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

  function drawn(name, attributes = {}, ...children) {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  }

  // Documents × directions, from whole numbers of 16 bits.
  function unpacked({ coordinates, scale, documents }) {
    const bytes = laconic.bytesOf(coordinates);
    const numbers = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const size = documents.length > 0 ? bytes.byteLength / 2 / documents.length : 0;
    return documents.map((_, at) =>
      Array.from({ length: size }, (_, i) => numbers.getInt16(2 * (at * size + i), true) * scale),
    );
  }

  // Round steps of 1, 2 or 5 times a power of ten, about `count` of them.
  function ticks(low, high, count) {
    const rough = (high - low) / count;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = power * [1, 2, 5, 10].find((one) => one * power >= rough);
    const first = Math.ceil(low / step);
    return Array.from({ length: Math.floor(high / step) - first + 1 }, (_, i) => (first + i) * step);
  }

  function extent(values) {
    const [low, high] = values.reduce(([a, b], v) => [Math.min(a, v), Math.max(b, v)], [0, 0]);
    const room = 0.04 * (high - low) || 1;
    return [low - room, high + room];
  }

  class DocumentMap {
    constructor(maps) {
      this.maps = maps;
      this.section = document.getElementById("map");
      this.plot = document.getElementById("map-plot");
      this.tip = document.getElementById("map-tip");
      this.legend = document.getElementById("map-legend");
      this.selects = ["x", "y", "basis"].map((name) => document.getElementById(`map-${name}`));
      this.selects.forEach((select) => select.addEventListener("change", () => this.draw()));
      for (const name of ["pointermove", "pointerdown"]) {
        this.plot.addEventListener(name, (event) => this.point(event));
      }
      this.plot.addEventListener("pointerleave", () => this.tell(null));
      this.plot.addEventListener("keydown", (event) => this.press(event));
      this.plot.addEventListener("focus", () => this.plot.matches(":focus-visible") && this.begin());
      this.plot.addEventListener("blur", () => this.tell(null));
    }

    show(problem) {
      const at = this.maps.findIndex((map) => map.problem === problem);
      this.section.classList.toggle("elsewhere", at < 0);
      for (const part of this.section.querySelectorAll("[data-map]")) {
        part.hidden = part.dataset.map !== String(at);
      }
      if (at < 0) return;
      this.map = this.maps[at];
      this.coordinates = unpacked(this.map);
      this.offer();
      this.group();
      this.draw();
    }

    offer() {
      const basis = this.selects[2];
      options(basis, this.map.bases.map(({ name }, at) => [at, name]), "0");
      this.number("0", this.coordinates[0]?.length > 1 ? "1" : "");
    }

    // A direction is chosen by its number and a word from either end.
    number(x, y) {
      const { axes } = this.map.bases[this.selects[2].value];
      const numbers = axes.map(({ positive, negative }, i) => {
        const words = [positive[0], negative[0]].filter((word) => word !== undefined);
        return [i, [`${i + 1}`, ...words].join(" · ")];
      });
      options(this.selects[0], numbers, x);
      // of a single direction, documents lie class by class
      options(this.selects[1], numbers.length > 1 ? numbers : [["", "by class"]], y);
    }

    // The most numerous classes have a colour each, all others one together; so have documents of
    // several classes, and a class that has only such needs no colour.
    group() {
      const { classes, counts, labels } = this.map;
      const alone = new Set(labels.filter((own) => own.length === 1).map(([one]) => one));
      const order = [...alone].sort((a, b) => counts[b] - counts[a] || a - b);
      const rank = new Map(order.map((one, at) => [one, at]));
      this.coloured = Math.min(COLOURS, order.length);
      const others = order.slice(this.coloured).map((one) => classes[one]);
      const rest = others.length === 1 ? others[0] : `${others.length} other classes`;
      const names = [...order.slice(0, this.coloured).map((one) => classes[one]), rest, "several classes", "no class"];
      this.of = labels.map((own) => {
        if (own.length !== 1) return this.coloured + (own.length > 1 ? 1 : 2);
        return Math.min(rank.get(own[0]), this.coloured);
      });
      this.groups = names.map((name, at) => this.made(name, at, this.of.filter((one) => one === at).length));
      const used = this.groups.filter(({ n }) => n > 0);
      const all = element("button", { type: "button", class: "all" }, "Hide or show all");
      all.addEventListener("click", () => {
        const hidden = used.some((group) => !group.hidden);
        used.forEach((group) => this.hide(group, hidden));
      });
      this.legend.replaceChildren(...used.map(({ button }) => button), ...(used.length > 2 ? [all] : []));
    }

    made(name, at, n) {
      const coloured = at < this.coloured;
      const look = { class: coloured ? `class-${at}` : "class-rest", d: SHAPES[coloured ? at % SHAPES.length : 0] };
      const sign = drawn("svg", { viewBox: "-5 -5 10 10", "aria-hidden": "true" }, drawn("path", look));
      const count = element("span", { class: "faint" }, n.toLocaleString("en"));
      const button = element("button", { type: "button", "aria-pressed": "true" }, sign, element("bdi", {}, name), count);
      const group = { name, n, look, button, signs: drawn("g"), hidden: false };
      button.addEventListener("click", () => this.hide(group, !group.hidden));
      return group;
    }

    hide(group, hidden) {
      group.hidden = hidden;
      group.button.setAttribute("aria-pressed", String(!hidden));
      group.signs.toggleAttribute("hidden", hidden);
      this.tell(null);
    }

    // Coordinates on a direction of the chosen basis; without one, a lane for each class.
    values(direction, turn) {
      if (direction === "") return this.of.map((group, at) => -group - 0.6 * ((at * 0.618) % 1));
      const column = turn.map((line) => line[direction]);
      return this.coordinates.map((z) => z.reduce((sum, one, i) => sum + one * column[i], 0));
    }

    draw() {
      if (!this.map) return;
      const [x, y, basis] = this.selects.map((select) => select.value);
      this.number(x, y);
      const { turn, axes } = this.map.bases[basis];
      this.width = Math.max(240, this.plot.clientWidth);
      this.height = Math.round(Math.min(520, Math.max(280, 0.62 * this.width)));
      const across = this.scale(this.values(x, turn), EDGE.left, this.width - EDGE.right);
      const up = this.scale(this.values(y, turn), this.height - EDGE.bottom, EDGE.top);
      this.places = across.places.map((one, at) => [one, up.places[at]]);
      this.ring = drawn("circle", { class: "ring", r: 7, hidden: "" });
      const picture = drawn("svg", { viewBox: `0 0 ${this.width} ${this.height}`, "aria-hidden": "true" });
      picture.append(...this.lines(across, up, y !== ""), ...this.signs(), this.ring);
      this.plot.replaceChildren(picture);
      this.name("left", "right", axes[x], Number(x) + 1);
      this.name("down", "up", axes[y], Number(y) + 1);
      const upwards = y === "" ? "class by class" : `direction ${Number(y) + 1} upwards`;
      this.plot.setAttribute(
        "aria-label",
        `${this.places.length} documents: direction ${Number(x) + 1} to the right, ${upwards}. ` +
          "Arrow keys go from document to document.",
      );
      this.tell(null);
    }

    scale(values, from, to) {
      const [low, high] = extent(values);
      const place = (value) => from + ((value - low) / (high - low)) * (to - from);
      return { low, high, place, places: values.map(place) };
    }

    lines(across, up, numbered) {
      const made = [];
      const line = (value, a, b) => made.push(drawn("line", { class: value === 0 ? "zero" : "grid", ...a, ...b }));
      const text = (value, attributes) =>
        made.push(drawn("text", attributes, String(Number(value.toPrecision(6))).replace("-", "−")));
      for (const value of ticks(across.low, across.high, this.width / 90)) {
        const x = across.place(value);
        line(value, { x1: x, x2: x }, { y1: EDGE.top, y2: this.height - EDGE.bottom });
        text(value, { x, y: this.height - 7, "text-anchor": "middle" });
      }
      for (const value of numbered ? ticks(up.low, up.high, this.height / 70) : []) {
        const y = up.place(value);
        line(value, { x1: EDGE.left, x2: this.width - EDGE.right }, { y1: y, y2: y });
        text(value, { x: EDGE.left - 6, y: y + 4, "text-anchor": "end" });
      }
      return made;
    }

    // Large classes lie below small ones.
    signs() {
      this.groups.forEach(({ signs, look }, group) => {
        signs.replaceChildren();
        signs.setAttribute("class", look.class);
        this.places.forEach(([x, y], at) => {
          if (this.of[at] !== group) return;
          signs.append(drawn("path", { d: look.d, transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})` }));
        });
      });
      const groups = this.groups.map(({ signs }) => signs);
      return [...groups.slice(this.coloured), ...groups.slice(0, this.coloured)];
    }

    // The words that pull to either end of an axis.
    name(low, high, axis, number) {
      const ends = [[low, axis?.negative ?? []], [high, axis?.positive ?? []]];
      for (const [end, words] of ends) {
        const told = words.slice(0, WORDS).flatMap((word, at) => [at > 0 ? ", " : "", element("bdi", {}, word)]);
        const title = element("strong", {}, axis ? `${number} ` : "");
        document.getElementById(`map-${end}`).replaceChildren(...(end === high ? [title] : []), ...told);
      }
    }

    visible(at) {
      return !this.groups[this.of[at]].hidden;
    }

    // The visible document that is closest by this measure of the way to it; null without any.
    closest(measure) {
      let [best, least] = [null, Infinity];
      this.places.forEach(([x, y], at) => {
        const way = this.visible(at) ? measure(x, y, at) : Infinity;
        if (way < least) [best, least] = [at, way];
      });
      return best;
    }

    nearest(x, y, limit = Infinity) {
      return this.closest((a, b) => {
        const way = Math.hypot(a - x, b - y);
        return way <= limit ? way : Infinity;
      });
    }

    point(event) {
      const box = this.plot.getBoundingClientRect();
      const unit = this.width / box.width;
      this.tell(this.nearest((event.clientX - box.left) * unit, (event.clientY - box.top) * unit, NEAR));
    }

    begin() {
      this.tell(this.nearest(this.width / 2, this.height / 2));
    }

    press(event) {
      if (event.key === "Escape") this.tell(null);
      const arrow = ARROWS[event.key];
      if (!arrow) return;
      event.preventDefault();
      if (this.told === null) return this.begin();
      const [x, y] = this.places[this.told];
      // what lies aside counts twice, and only if nothing is ahead within 45 degrees
      const next = this.closest((a, b) => {
        const ahead = (a - x) * arrow[0] + (b - y) * arrow[1];
        const aside = Math.abs((a - x) * arrow[1]) + Math.abs((b - y) * arrow[0]);
        if (ahead <= 0.5) return Infinity;
        return ahead + 2 * aside + (aside <= ahead ? 0 : FAR);
      });
      if (next !== null) this.tell(next);
    }

    // Names one document beside its sign.
    tell(at) {
      this.told = at;
      this.tip.hidden = at === null;
      this.ring?.toggleAttribute("hidden", at === null);
      if (at === null) return;
      const [x, y] = this.places[at];
      this.ring.setAttribute("cx", x);
      this.ring.setAttribute("cy", y);
      const names = this.map.labels[at].map((one) => this.map.classes[one]).join(", ") || "no class";
      this.tip.replaceChildren(element("strong", {}, element("bdi", {}, names)), element("bdi", {}, this.map.documents[at]));
      const unit = this.plot.clientWidth / this.width;
      this.tip.style.setProperty("--x", `${Math.round(x * unit)}px`);
      this.tip.style.setProperty("--y", `${Math.round(y * unit)}px`);
      this.tip.classList.toggle("before", x > this.width / 2);
    }
  }

  globalThis.laconic = { ...globalThis.laconic, DocumentMap };
}
