// The try-it box: the model that the page carries decides about what is typed.
"use strict";
{
  const { element, plain, signed, bar, options } = laconic;
  const WAIT = 150; // milliseconds without a key before the text is read
  const CLASSES = 8;
  const WORDS = 10;
  const MARKED = 20000; // characters that are shown with marks; all are read

  class TryIt {
    constructor(reading) {
      this.reading = reading;
      this.text = this.part("text");
      this.classes = this.part("class");
      this.all = this.part("all");
      this.text.addEventListener("input", () => this.soon());
      this.classes.addEventListener("change", () => this.showWords());
      this.all.addEventListener("click", () => {
        this.everyClass = true;
        this.showScores();
      });
    }

    part(name) {
      return document.getElementById(`tryit-${name}`);
    }

    show(detail) {
      document.getElementById("tryit").hidden = false;
      this.detail = detail;
      this.everyClass = false;
      this.model = detail.model === null ? null : new laconic.CompactModel(laconic.bytesOf(detail.model));
      const obstacle = this.model === null ? detail.obstacle : this.model.obstacle(this.reading);
      this.part("obstacle").hidden = obstacle === null;
      this.part("obstacle").textContent = obstacle === null ? "" : `Trying is not possible here: ${plain(obstacle)}.`;
      this.part("box").hidden = obstacle !== null;
      this.part("note").hidden = detail.note === "" || obstacle !== null;
      this.part("note").textContent = `${detail.note}.`;
      if (obstacle !== null) return;
      const names = this.model.rule === "sign" ? [[0, this.names()[1]]] : this.names().map((name, at) => [at, name]);
      options(this.classes, this.model.rule === "sign" ? names : [["", "the decision"], ...names]);
      this.read();
    }

    names() {
      return this.detail.classes;
    }

    soon() {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.read(), WAIT);
    }

    read() {
      const text = this.text.value;
      this.part("result").hidden = text.trim() === "";
      if (this.part("result").hidden) return;
      this.told = this.model.tell(text, this.reading);
      this.showDecision();
      this.showScores();
      this.showWords();
    }

    showDecision() {
      const { chosen, counts } = this.told;
      const names = chosen.map((at) => this.names()[at]);
      const decision = names.length === 0 ? "none of the classes" : names.join(", ");
      const words = counts.size === 1 ? "1 word" : `${counts.size} different words`;
      const named = element("bdi", {}, decision);
      if (counts.size === 0) {
        const told = "The model knows none of these words. What it answers to any such text: ";
        this.part("decision").replaceChildren(told, named, ".");
        return;
      }
      this.part("decision").replaceChildren(element("strong", {}, named), `. It has ${words} of the model.`);
    }

    // A score for each class; the one number that tells two classes apart speaks for the second.
    scores() {
      const { scores } = this.told;
      const all = this.model.rule === "sign" ? [-scores[0], scores[0]] : scores;
      return all.map((score, at) => ({ score, at })).sort((a, b) => b.score - a.score || a.at - b.at);
    }

    showScores() {
      const every = this.scores();
      const shown = this.everyClass ? every : every.slice(0, CLASSES);
      const largest = Math.max(...every.map(({ score }) => Math.abs(score)));
      this.all.hidden = shown.length === every.length;
      this.all.textContent = `Show all ${every.length} classes`;
      const lines = shown.map(({ score, at }) => {
        const chosen = this.told.chosen.includes(at);
        return element(
          "tr",
          chosen ? { class: "chosen" } : {},
          element("th", { scope: "row" }, chosen ? "✓ " : "", element("bdi", {}, this.names()[at])),
          element("td", { class: "number" }, signed(score)),
          element("td", { class: "weight" }, bar(score, largest)),
        );
      });
      this.part("scores").replaceChildren(...lines);
    }

    // The row of coefficients that is explained.
    row() {
      if (this.model.rule === "sign") return 0;
      return this.classes.value === "" ? (this.told.chosen[0] ?? this.scores()[0].at) : Number(this.classes.value);
    }

    showWords() {
      const row = this.row();
      const shares = this.told.shares[row];
      const name = this.names()[this.model.rule === "sign" ? 1 : row];
      this.part("about").replaceChildren("the class ", element("bdi", {}, name));
      const strongest = Array.from(shares)
        .filter(([, share]) => share !== 0)
        .sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]) || a[0] - b[0])
        .slice(0, WORDS);
      const lines = strongest.map(([word, share]) =>
        element(
          "tr",
          {},
          element("th", { scope: "row" }, element("bdi", {}, plain(this.model.words[word]))),
          element("td", { class: "number" }, String(this.told.counts.get(word))),
          element("td", { class: "number" }, signed(share)),
        ),
      );
      this.part("words").replaceChildren(...lines);
      this.mark(shares);
    }

    // What each place of the text adds: a word's share, divided among the places where it is.
    places(shares) {
      const added = new Map();
      for (const { word, first, size } of this.told.known) {
        const share = (shares.get(word) ?? 0) / (this.told.counts.get(word) * size);
        for (let at = first; at < first + size; at++) added.set(at, (added.get(at) ?? 0) + share);
      }
      return added;
    }

    mark(shares) {
      const text = this.text.value.slice(0, MARKED);
      const added = this.places(shares);
      let largest = 0;
      for (const share of added.values()) largest = Math.max(largest, Math.abs(share));
      const pieces = document.createDocumentFragment();
      let done = 0;
      this.told.units.forEach(({ start, end }, at) => {
        const share = added.get(at) ?? 0;
        if (share === 0 || start < done || end > text.length) return;
        pieces.append(text.slice(done, start), this.marked(text.slice(start, end), share, largest));
        done = end;
      });
      pieces.append(text.slice(done), this.text.value.length > MARKED ? " …" : "");
      this.part("marked").replaceChildren(pieces);
    }

    marked(text, share, largest) {
      const side = share < 0 ? "against" : "for";
      const mark = element("mark", { class: side, title: `${side}: ${signed(share)}` }, text);
      mark.style.setProperty("--share", Math.abs(share) / largest);
      return mark;
    }
  }

  globalThis.laconic = { ...globalThis.laconic, TryIt };
}
