// The table of words, which can be sorted, searched and filtered by class.
"use strict";
{
  const { element, signed, bar, options } = laconic;
  const FIRST = 50;
  const MORE = 500;
  const ANY = "";
  const DESCENDING = new Set(["documents", "score", "coefficient"]);

  class WordsTable {
    constructor() {
      this.table = document.getElementById("words-table");
      this.search = document.getElementById("words-search");
      this.classes = document.getElementById("words-class");
      this.side = document.getElementById("words-side");
      this.more = document.getElementById("words-more");
      this.by = "rank";
      this.descending = false;
      this.search.addEventListener("input", () => this.restart());
      this.side.addEventListener("change", () => this.restart());
      this.classes.addEventListener("change", () => this.choose());
      this.more.addEventListener("click", () => this.showMore());
      for (const head of this.table.tHead.querySelectorAll("[data-by]")) {
        head.querySelector("button").addEventListener("click", () => this.sort(head.dataset.by));
      }
    }

    show(detail) {
      this.detail = detail;
      // two classes have one column of coefficients: positive supports the second, negative the first
      this.binary = detail.columns.length === 1 && detail.classes.length === 2;
      const names = this.binary ? detail.classes : detail.columns;
      options(this.classes, [[ANY, "any"], ...names.map((name, at) => [at, name])], ANY);
      this.side.value = "both";
      this.search.value = "";
      this.rows = detail.words.word.map((word, at) => ({
        rank: detail.words.rank[at],
        word,
        documents: detail.words.documents[at],
        score: detail.words.score[at],
        coefficients: detail.words.coefficients[at],
      }));
      const withScores = this.rows.some((row) => row.score !== null);
      this.table.classList.toggle("unscored", !withScores);
      this.by = "rank";
      this.descending = false;
      this.restart();
    }

    choose() {
      const selected = this.classes.value !== ANY;
      this.by = selected ? "coefficient" : "rank";
      this.descending = selected;
      this.restart();
    }

    sort(by) {
      this.descending = by === this.by ? !this.descending : DESCENDING.has(by);
      this.by = by;
      this.restart();
    }

    // The coefficient of a word for the selected class, and the class that the word supports.
    coefficient(row) {
      const names = this.detail.classes;
      if (this.binary) {
        const [number] = row.coefficients;
        const supports = names[number > 0 ? 1 : 0];
        return { coefficient: this.classes.value === "0" ? -number : number, supports };
      }
      let best = 0;
      row.coefficients.forEach((number, at) => {
        if (number > row.coefficients[best]) best = at;
      });
      const at = this.classes.value === ANY ? best : Number(this.classes.value);
      const positive = row.coefficients[best] > 0;
      return { coefficient: row.coefficients[at] ?? 0, supports: positive ? this.detail.columns[best] : "" };
    }

    restart() {
      const query = this.search.value.trim().toLowerCase();
      const side = this.classes.value === ANY ? "both" : this.side.value;
      this.side.disabled = this.classes.value === ANY;
      this.matches = this.rows
        .filter((row) => query === "" || row.word.toLowerCase().includes(query))
        .map((row) => ({ ...row, ...this.coefficient(row) }))
        .filter((row) => this.classes.value === ANY || row.coefficient !== 0)
        .filter((row) => side === "both" || row.coefficient > 0 === (side === "for"));
      this.matches.sort((a, b) => this.compare(a, b));
      this.largest = this.matches.reduce((most, row) => Math.max(most, Math.abs(row.coefficient)), 0);
      this.shown = 0;
      this.table.tBodies[0].replaceChildren();
      for (const head of this.table.tHead.querySelectorAll("[data-by]")) {
        if (head.dataset.by !== this.by) head.removeAttribute("aria-sort");
        else head.setAttribute("aria-sort", this.descending ? "descending" : "ascending");
      }
      this.add(FIRST);
    }

    compare(a, b) {
      const [x, y] = [a[this.by], b[this.by]];
      if (x === y) return a.rank - b.rank;
      if (x === null || y === null) return x === null ? 1 : -1;
      return (x < y ? -1 : 1) * (this.descending ? -1 : 1);
    }

    showMore() {
      const first = this.shown;
      this.add(MORE);
      // the button may be hidden now; keyboard focus moves to the first new word
      const row = this.table.tBodies[0].rows[first];
      if (this.more.hidden && row) {
        row.tabIndex = -1;
        row.focus();
      }
    }

    add(count) {
      const next = this.matches.slice(this.shown, this.shown + count);
      this.table.tBodies[0].append(...next.map((row) => this.line(row)));
      this.shown += next.length;
      this.more.hidden = this.shown >= this.matches.length;
      const { total } = this.detail.words;
      const here = total > this.rows.length ? `; this page has the ${this.rows.length.toLocaleString("en")} strongest` : "";
      document.getElementById("words-count").textContent =
        `${this.shown.toLocaleString("en")} of ${this.matches.length.toLocaleString("en")} words shown` +
        ` (the model has ${total.toLocaleString("en")}${here})`;
    }

    line(row) {
      return element(
        "tr",
        {},
        element("td", { class: "number" }, String(row.rank)),
        element("th", { scope: "row" }, element("bdi", {}, row.word)),
        element("td", { class: "number documents" }, row.documents.toLocaleString("en")),
        element("td", { class: "number score" }, row.score === null ? "" : String(row.score)),
        element(
          "td",
          { class: "number weight" },
          element("span", {}, signed(row.coefficient)),
          bar(row.coefficient, this.largest),
        ),
        element("td", {}, element("bdi", {}, row.supports)),
      );
    }
  }

  globalThis.laconic = { ...globalThis.laconic, WordsTable };
}
