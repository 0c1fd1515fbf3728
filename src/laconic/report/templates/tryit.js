// The try-it box: classifies what is typed with the model in this page.
"use strict";
{
  const { element, plain, signed, percent, bar, options } = laconic;
  const DELAY = 150; // milliseconds after the last key
  const CLASSES = 8;
  const WORDS = 10;
  const MARKED = 20000; // characters that are shown with marks; all are classified

  class TryIt {
    constructor(reader) {
      this.reader = reader;
      this.text = this.part("text");
      this.classes = this.part("class");
      this.all = this.part("all");
      this.text.addEventListener("input", () => this.schedule());
      this.classes.addEventListener("change", () => this.showWords());
      this.all.addEventListener("click", () => {
        this.allClasses = true;
        this.showScores();
      });
    }

    part(name) {
      return document.getElementById(`tryit-${name}`);
    }

    // Ends when the model is read.
    async show(detail) {
      document.getElementById("tryit").hidden = false;
      this.detail = detail;
      this.allClasses = false;
      this.model = null;
      const model = detail.model === null ? null : await laconic.CompactModel.read(laconic.bytesOf(detail.model));
      if (this.detail !== detail) return; // another one was selected meanwhile
      this.model = model;
      const obstacle = this.model === null ? detail.obstacle : this.model.obstacle(this.reader);
      this.part("obstacle").hidden = obstacle === null;
      this.part("obstacle").textContent = obstacle === null ? "" : `Not available here: ${plain(obstacle)}.`;
      this.part("box").hidden = obstacle !== null;
      this.part("note").hidden = detail.note === "" || obstacle !== null;
      this.part("note").textContent = `${detail.note}.`;
      if (obstacle !== null) return;
      const names = this.model.rule === "sign" ? [[0, this.names()[1]]] : this.names().map((name, at) => [at, name]);
      options(this.classes, this.model.rule === "sign" ? names : [["", "the prediction"], ...names]);
      this.classify();
    }

    names() {
      return this.detail.classes;
    }

    schedule() {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.classify(), DELAY);
    }

    classify() {
      const text = this.text.value;
      this.part("result").hidden = this.model === null || text.trim() === "";
      if (this.part("result").hidden) return;
      this.result = this.model.predict(text, this.reader);
      this.showDecision();
      this.showScores();
      this.showWords();
    }

    showDecision() {
      const { chosen, counts } = this.result;
      const names = chosen.map((at) => this.names()[at]);
      const decision = names.length === 0 ? "none of the classes" : names.join(", ");
      const words = counts.size === 1 ? "1 word" : `${counts.size} different words`;
      const named = element("bdi", {}, decision);
      if (counts.size === 0) {
        const text = "The model has none of these words. Its prediction for any such text: ";
        this.part("decision").replaceChildren(text, named, ".");
        return;
      }
      const sure = this.probability();
      this.part("decision").replaceChildren(element("strong", {}, named), `${sure}. The text has ${words} of the model.`);
    }

    // That of the predicted class; of several labels each has its own, in the table.
    probability() {
      const { probabilities, chosen } = this.result;
      if (probabilities === null || chosen.length !== 1) return "";
      return `, with a probability of ${percent(probabilities[chosen[0]])}`;
    }

    // One score per class, sorted by its distance from the threshold; with two classes the only
    // number is the score of the second.
    scores() {
      const { scores } = this.result;
      const { thresholds } = this.model;
      const both = (numbers) => (this.model.rule === "sign" ? [-numbers[0], numbers[0]] : Array.from(numbers));
      const limits = both(thresholds);
      return both(scores)
        .map((score, at) => ({ score, at, limit: limits[at], margin: score - limits[at] }))
        .sort((a, b) => b.margin - a.margin || a.at - b.at);
    }

    showScores() {
      const scores = this.scores();
      const shown = this.allClasses ? scores : scores.slice(0, CLASSES);
      const largest = Math.max(...scores.map(({ score }) => Math.abs(score)));
      this.all.hidden = shown.length === scores.length;
      this.all.textContent = `Show all ${scores.length} classes`;
      const { probabilities } = this.result;
      this.part("result").classList.toggle("without-thresholds", this.model.thresholds.every((limit) => limit === 0));
      this.part("result").classList.toggle("without-probabilities", probabilities === null);
      const lines = shown.map(({ score, at, limit }) => {
        const chosen = this.result.chosen.includes(at);
        return element(
          "tr",
          chosen ? { class: "chosen" } : {},
          element("th", { scope: "row" }, chosen ? "✓ " : "", element("bdi", {}, this.names()[at])),
          element("td", { class: "number" }, signed(score)),
          element("td", { class: "weight" }, bar(score, largest)),
          element("td", { class: "number threshold" }, signed(limit)),
          element("td", { class: "number probability" }, probabilities === null ? "" : percent(probabilities[at])),
        );
      });
      this.part("scores").replaceChildren(...lines);
    }

    // The class whose score is explained, as a row of coefficients.
    row() {
      if (this.model.rule === "sign") return 0;
      return this.classes.value === "" ? (this.result.chosen[0] ?? this.scores()[0].at) : Number(this.classes.value);
    }

    showWords() {
      const row = this.row();
      const shares = this.result.shares[row];
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
          element("td", { class: "number" }, String(this.result.counts.get(word))),
          element("td", { class: "number" }, signed(share)),
        ),
      );
      this.part("words").replaceChildren(...lines);
      this.mark(shares);
    }

    // The contribution of each unit of the text: a word's share, divided among its occurrences.
    contributions(shares) {
      const added = new Map();
      for (const { word, first, size } of this.result.occurrences) {
        const share = (shares.get(word) ?? 0) / (this.result.counts.get(word) * size);
        for (let at = first; at < first + size; at++) added.set(at, (added.get(at) ?? 0) + share);
      }
      return added;
    }

    mark(shares) {
      const text = this.text.value.slice(0, MARKED);
      const added = this.contributions(shares);
      let largest = 0;
      for (const share of added.values()) largest = Math.max(largest, Math.abs(share));
      const pieces = document.createDocumentFragment();
      let copied = 0;
      this.result.units.forEach(({ start, end }, at) => {
        const share = added.get(at) ?? 0;
        if (share === 0 || start < copied || end > text.length) return;
        pieces.append(text.slice(copied, start), this.marked(text.slice(start, end), share, largest));
        copied = end;
      });
      pieces.append(text.slice(copied), this.text.value.length > MARKED ? " …" : "");
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
