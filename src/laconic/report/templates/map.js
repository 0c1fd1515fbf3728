// The map: training documents as symbols on two directions, coloured by class.
"use strict";
{
  const { element, options } = laconic;
  const SVG = "http://www.w3.org/2000/svg";
  const COLOURS = 10;
  const WORDS = 4;
  const NEAR = 14; // pixels within which the pointer selects a document
  const FAR = 1e6; // more than any distance on the map
  const MARGIN = { top: 12, right: 14, bottom: 24, left: 40 };
  const SHAPES = [
    "M-3.4,0a3.4,3.4 0 1,0 6.8,0a3.4,3.4 0 1,0 -6.8,0",
    "M-3,-3h6v6h-6z",
    "M0,-4L3.9,3H-3.9z",
    "M0,-4.3L4.3,0L0,4.3L-4.3,0z",
    "M-4,-1.4h2.6v-2.6h2.8v2.6h2.6v2.8h-2.6v2.6h-2.8v-2.6h-2.6z",
  ];
  const ARROWS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

  function svg(name, attributes = {}, ...children) {
    const node = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    node.append(...children);
    return node;
  }

  // Documents × directions, from 16-bit integers.
  function unpacked({ coordinates, scale, documents }) {
    const bytes = laconic.bytesOf(coordinates);
    const numbers = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const size = documents.length > 0 ? bytes.byteLength / 2 / documents.length : 0;
    return documents.map((_, at) =>
      Array.from({ length: size }, (_, i) => numbers.getInt16(2 * (at * size + i), true) * scale),
    );
  }

  // Ticks at 1, 2 or 5 times a power of ten, roughly `count` of them.
  function ticks(low, high, count) {
    const rough = (high - low) / count;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = power * [1, 2, 5, 10].find((factor) => factor * power >= rough);
    const first = Math.ceil(low / step);
    return Array.from({ length: Math.floor(high / step) - first + 1 }, (_, i) => (first + i) * step);
  }

  function extent(values) {
    const [low, high] = values.reduce(([a, b], v) => [Math.min(a, v), Math.max(b, v)], [0, 0]);
    const margin = 0.04 * (high - low) || 1;
    return [low - margin, high + margin];
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
      this.plot.addEventListener("pointerleave", () => this.select(null));
      this.plot.addEventListener("keydown", (event) => this.press(event));
      this.plot.addEventListener("focus", () => this.plot.matches(":focus-visible") && this.selectCentre());
      this.plot.addEventListener("blur", () => this.select(null));
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
      this.addBases();
      this.group();
      this.draw();
    }

    addBases() {
      const basis = this.selects[2];
      options(basis, this.map.bases.map(({ name }, at) => [at, name]), "0");
      this.nameDirections("0", this.coordinates[0]?.length > 1 ? "1" : "");
    }

    // The options of a direction: its number and one word from either end.
    nameDirections(x, y) {
      const { axes } = this.map.bases[this.selects[2].value];
      const numbers = axes.map(({ positive, negative }, i) => {
        const words = [positive[0], negative[0]].filter((word) => word !== undefined);
        return [i, [`${i + 1}`, ...words].join(" · ")];
      });
      options(this.selects[0], numbers, x);
      // with a single direction, classes are the second axis
      options(this.selects[1], numbers.length > 1 ? numbers : [["", "by class"]], y);
    }

    // The largest classes have one colour each, all others share one; so do documents of several
    // classes. A class that has only such documents needs no colour.
    group() {
      const { classes, counts, labels } = this.map;
      const single = new Set(labels.filter((list) => list.length === 1).map(([label]) => label));
      const order = [...single].sort((a, b) => counts[b] - counts[a] || a - b);
      const rank = new Map(order.map((label, at) => [label, at]));
      this.coloured = Math.min(COLOURS, order.length);
      const others = order.slice(this.coloured).map((label) => classes[label]);
      const rest = others.length === 1 ? others[0] : `${others.length} other classes`;
      const names = [...order.slice(0, this.coloured).map((label) => classes[label]), rest, "several classes", "no class"];
      this.groupOf = labels.map((list) => {
        if (list.length !== 1) return this.coloured + (list.length > 1 ? 1 : 2);
        return Math.min(rank.get(list[0]), this.coloured);
      });
      this.groups = names.map((name, at) => this.makeGroup(name, at, this.groupOf.filter((group) => group === at).length));
      const used = this.groups.filter(({ n }) => n > 0);
      const all = element("button", { type: "button", class: "all" }, "Hide or show all");
      all.addEventListener("click", () => {
        const hidden = used.some((group) => !group.hidden);
        used.forEach((group) => this.hide(group, hidden));
      });
      this.legend.replaceChildren(...used.map(({ button }) => button), ...(used.length > 2 ? [all] : []));
    }

    makeGroup(name, at, n) {
      const coloured = at < this.coloured;
      const style = { class: coloured ? `class-${at}` : "class-rest", d: SHAPES[coloured ? at % SHAPES.length : 0] };
      const symbol = svg("svg", { viewBox: "-5 -5 10 10", "aria-hidden": "true" }, svg("path", style));
      const count = element("span", { class: "faint" }, n.toLocaleString("en"));
      const button = element("button", { type: "button", "aria-pressed": "true" }, symbol, element("bdi", {}, name), count);
      const group = { name, n, style, button, symbols: svg("g"), hidden: false };
      button.addEventListener("click", () => this.hide(group, !group.hidden));
      return group;
    }

    hide(group, hidden) {
      group.hidden = hidden;
      group.button.setAttribute("aria-pressed", String(!hidden));
      group.symbols.toggleAttribute("hidden", hidden);
      this.select(null);
    }

    // Coordinates on a direction of the selected basis; without one, one lane per class.
    values(direction, rotation) {
      if (direction === "") return this.groupOf.map((group, at) => -group - 0.6 * ((at * 0.618) % 1));
      const column = rotation.map((line) => line[direction]);
      return this.coordinates.map((z) => z.reduce((sum, value, i) => sum + value * column[i], 0));
    }

    draw() {
      if (!this.map) return;
      const [x, y, basis] = this.selects.map((select) => select.value);
      this.nameDirections(x, y);
      const { rotation, axes } = this.map.bases[basis];
      this.width = Math.max(240, this.plot.clientWidth);
      this.height = Math.round(Math.min(520, Math.max(280, 0.62 * this.width)));
      const across = this.scale(this.values(x, rotation), MARGIN.left, this.width - MARGIN.right);
      const up = this.scale(this.values(y, rotation), this.height - MARGIN.bottom, MARGIN.top);
      this.places = across.places.map((place, at) => [place, up.places[at]]);
      this.ring = svg("circle", { class: "ring", r: 7, hidden: "" });
      const picture = svg("svg", { viewBox: `0 0 ${this.width} ${this.height}`, "aria-hidden": "true" });
      picture.append(...this.lines(across, up, y !== ""), ...this.symbols(), this.ring);
      this.plot.replaceChildren(picture);
      this.name("left", "right", axes[x], Number(x) + 1);
      this.name("down", "up", axes[y], Number(y) + 1);
      const vertical = y === "" ? "classes vertically" : `direction ${Number(y) + 1} vertically`;
      this.plot.setAttribute(
        "aria-label",
        `${this.places.length} documents: direction ${Number(x) + 1} horizontally, ${vertical}. ` +
          "Arrow keys move from document to document.",
      );
      this.select(null);
    }

    scale(values, from, to) {
      const [low, high] = extent(values);
      const place = (value) => from + ((value - low) / (high - low)) * (to - from);
      return { low, high, place, places: values.map(place) };
    }

    lines(across, up, numbered) {
      const nodes = [];
      const line = (value, a, b) => nodes.push(svg("line", { class: value === 0 ? "zero" : "grid", ...a, ...b }));
      const text = (value, attributes) =>
        nodes.push(svg("text", attributes, String(Number(value.toPrecision(6))).replace("-", "−")));
      for (const value of ticks(across.low, across.high, this.width / 90)) {
        const x = across.place(value);
        line(value, { x1: x, x2: x }, { y1: MARGIN.top, y2: this.height - MARGIN.bottom });
        text(value, { x, y: this.height - 7, "text-anchor": "middle" });
      }
      for (const value of numbered ? ticks(up.low, up.high, this.height / 70) : []) {
        const y = up.place(value);
        line(value, { x1: MARGIN.left, x2: this.width - MARGIN.right }, { y1: y, y2: y });
        text(value, { x: MARGIN.left - 6, y: y + 4, "text-anchor": "end" });
      }
      return nodes;
    }

    // Large classes are drawn below small ones.
    symbols() {
      this.groups.forEach(({ symbols, style }, group) => {
        symbols.replaceChildren();
        symbols.setAttribute("class", style.class);
        this.places.forEach(([x, y], at) => {
          if (this.groupOf[at] !== group) return;
          symbols.append(svg("path", { d: style.d, transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})` }));
        });
      });
      const groups = this.groups.map(({ symbols }) => symbols);
      return [...groups.slice(this.coloured), ...groups.slice(0, this.coloured)];
    }

    // The words at either end of an axis.
    name(low, high, axis, number) {
      const ends = [[low, axis?.negative ?? []], [high, axis?.positive ?? []]];
      for (const [end, words] of ends) {
        const text = words.slice(0, WORDS).flatMap((word, at) => [at > 0 ? ", " : "", element("bdi", {}, word)]);
        const title = element("strong", {}, axis ? `${number} ` : "");
        document.getElementById(`map-${end}`).replaceChildren(...(end === high ? [title] : []), ...text);
      }
    }

    visible(at) {
      return !this.groups[this.groupOf[at]].hidden;
    }

    // The visible document with the smallest distance; null if there is none.
    closest(distance) {
      let [best, smallest] = [null, Infinity];
      this.places.forEach(([x, y], at) => {
        const length = this.visible(at) ? distance(x, y, at) : Infinity;
        if (length < smallest) [best, smallest] = [at, length];
      });
      return best;
    }

    nearest(x, y, limit = Infinity) {
      return this.closest((a, b) => {
        const length = Math.hypot(a - x, b - y);
        return length <= limit ? length : Infinity;
      });
    }

    point(event) {
      const box = this.plot.getBoundingClientRect();
      const unit = this.width / box.width;
      this.select(this.nearest((event.clientX - box.left) * unit, (event.clientY - box.top) * unit, NEAR));
    }

    selectCentre() {
      this.select(this.nearest(this.width / 2, this.height / 2));
    }

    press(event) {
      if (event.key === "Escape") this.select(null);
      const arrow = ARROWS[event.key];
      if (!arrow) return;
      event.preventDefault();
      if (this.selected === null) return this.selectCentre();
      const [x, y] = this.places[this.selected];
      // sideways distance counts twice; documents beyond 45 degrees only if there is no other
      const next = this.closest((a, b) => {
        const ahead = (a - x) * arrow[0] + (b - y) * arrow[1];
        const aside = Math.abs((a - x) * arrow[1]) + Math.abs((b - y) * arrow[0]);
        if (ahead <= 0.5) return Infinity;
        return ahead + 2 * aside + (aside <= ahead ? 0 : FAR);
      });
      if (next !== null) this.select(next);
    }

    // Show the class and title of one document beside its symbol.
    select(at) {
      this.selected = at;
      this.tip.hidden = at === null;
      this.ring?.toggleAttribute("hidden", at === null);
      if (at === null) return;
      const [x, y] = this.places[at];
      this.ring.setAttribute("cx", x);
      this.ring.setAttribute("cy", y);
      const names = this.map.labels[at].map((label) => this.map.classes[label]).join(", ") || "no class";
      this.tip.replaceChildren(element("strong", {}, element("bdi", {}, names)), element("bdi", {}, this.map.documents[at]));
      const unit = this.plot.clientWidth / this.width;
      this.tip.style.setProperty("--x", `${Math.round(x * unit)}px`);
      this.tip.style.setProperty("--y", `${Math.round(y * unit)}px`);
      this.tip.classList.toggle("before", x > this.width / 2);
    }
  }

  globalThis.laconic = { ...globalThis.laconic, DocumentMap };
}
