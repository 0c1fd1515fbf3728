// Texts become terms as Laconic's `Vectorizer` makes them.
//
// What a letter is and how it is lower-cased depends on the version of Unicode, and the browser has
// another one than the Python that counted the corpus. So the page brings Python's own tables.
"use strict";
{
  // Sorted [first, last, first, last, …] as differences, in a string: see `unicode_tables` in Python.
  class CharacterSet {
    constructor(differences) {
      let at = 0;
      this.bounds = differences === "" ? [] : differences.split(" ").map((step) => (at += parseInt(step, 36)));
      this.ascii = Array.from({ length: 128 }, (_, point) => this.search(point));
    }

    has(point) {
      return point < 128 ? this.ascii[point] : this.search(point);
    }

    search(point) {
      let low = 0;
      let high = this.bounds.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (this.bounds[middle] <= point) low = middle + 1;
        else high = middle;
      }
      return low % 2 === 1;
    }
  }

  function lowerCases(runs) {
    const lower = new Map();
    for (const [first, count, step, shift] of runs) {
      for (let i = 0; i < count; i++) {
        lower.set(first + i * step, String.fromCodePoint(first + i * step + shift));
      }
    }
    return lower;
  }

  const ASCII = /^[\0-\x7f]*$/;
  const SIGMA = 0x3a3;

  class Reading {
    constructor(tables) {
      this.word = new CharacterSet(tables.word);
      this.digit = new CharacterSet(tables.digit);
      this.space = new CharacterSet(tables.space);
      this.cased = new CharacterSet(tables.cased);
      this.ignorable = new CharacterSet(tables.ignorable);
      this.lowerCase = lowerCases(tables.lower);
      for (const [point, text] of tables.special) this.lowerCase.set(point, text);
    }

    lower(text) {
      return this.cased_(text, true).map((one) => one.text).join("");
    }

    // The characters of the text, each with its place in the original; one may become several.
    cased_(text, lowercase) {
      const characters = Array.from(text);
      const points = characters.map((character) => character.codePointAt(0));
      const cased = [];
      let start = 0;
      characters.forEach((character, at) => {
        const end = start + character.length;
        for (const one of lowercase ? this.lowered(points, at, character) : [character]) {
          cased.push({ text: one, point: one.codePointAt(0), start, end });
        }
        start = end;
      });
      return cased;
    }

    lowered(points, at, character) {
      if (points[at] === SIGMA) return [this.endsWord(points, at) ? "ς" : "σ"];
      const lower = this.lowerCase.get(points[at]);
      return lower === undefined ? [character] : Array.from(lower);
    }

    // A capital sigma after a letter and before none, some marks not counted, is a final one.
    endsWord(points, at) {
      let before = at - 1;
      while (before >= 0 && this.ignorable.has(points[before])) before--;
      if (before < 0 || !this.cased.has(points[before])) return false;
      let after = at + 1;
      while (after < points.length && this.ignorable.has(points[after])) after++;
      return after === points.length || !this.cased.has(points[after]);
    }

    // Which characters a pattern takes, and how many it needs; null for a pattern of one's own.
    static patterns(reading) {
      const word = (point) => reading.word.has(point);
      const within = (text) => (point) => point < 128 && text.test(String.fromCharCode(point));
      const underscore = 0x5f;
      return {
        "\\w+": [word, 1],
        "\\w\\w+": [word, 2],
        "\\b\\w+\\b": [word, 1],
        "\\b\\w\\w+\\b": [word, 2],
        "[a-z]+": [within(/[a-z]/), 1],
        "[a-zA-Z]+": [within(/[a-zA-Z]/), 1],
        "[A-Za-z]+": [within(/[a-zA-Z]/), 1],
        "[a-z0-9]+": [within(/[a-z0-9]/), 1],
        "[a-zA-Z0-9]+": [within(/[a-zA-Z0-9]/), 1],
        "[A-Za-z0-9]+": [within(/[a-zA-Z0-9]/), 1],
        "[^\\W\\d_]+": [(p) => word(p) && !reading.digit.has(p) && p !== underscore, 1],
        "[^\\W_]+": [(p) => word(p) && p !== underscore, 1],
      };
    }

    pattern(text) {
      const patterns = Reading.patterns(this);
      const plain = text.startsWith("(?u)") ? text.slice(4) : text;
      return Object.hasOwn(patterns, plain) ? patterns[plain] : null;
    }

    // Why texts cannot be read here as the settings ask; null if they can.
    obstacle(settings) {
      if (settings.unit === "char") return null;
      if (this.pattern(settings.token_pattern) === null) {
        return `words are found by the pattern ${settings.token_pattern}, which this page does not know`;
      }
      if (settings.stem !== null && settings.stem !== "porter") {
        return `words are stemmed by “${settings.stem}”, and this page has the stemmer “porter” only`;
      }
      return null;
    }

    // The units that are counted, in order: {unit, start, end}, the place in the original text.
    units(text, settings, stops) {
      const characters = this.cased_(text, settings.lowercase);
      if (settings.unit === "char") return this.characters(characters);
      const found = this.found(characters, ...this.pattern(settings.token_pattern));
      const stem = settings.stem === "porter" ? laconic.porter : (word) => word;
      return found
        .filter((token) => token.length >= settings.min_length)
        .filter((token) => !stops.has(settings.lowercase ? token.text : this.lower(token.text)))
        .map(({ text: word, start, end }) => ({ unit: stem(word), start, end }));
    }

    // Runs of characters that the pattern takes; `length` counts code points.
    found(characters, takes, shortest) {
      const tokens = [];
      let run = [];
      const close = () => {
        if (run.length >= shortest) {
          tokens.push({
            text: run.map((one) => one.text).join(""),
            length: run.length,
            start: run[0].start,
            end: run.at(-1).end,
          });
        }
        run = [];
      };
      for (const one of characters) {
        if (takes(one.point)) run.push(one);
        else close();
      }
      close();
      return tokens;
    }

    // Two and more white spaces are one blank.
    characters(characters) {
      const units = [];
      for (let at = 0; at < characters.length; ) {
        let end = at;
        while (end < characters.length && this.space.has(characters[end].point)) end++;
        if (end - at >= 2) {
          units.push({ unit: " ", start: characters[at].start, end: characters[end - 1].end });
          at = end;
        } else {
          const { text, start, end: stop } = characters[at++];
          units.push({ unit: text, start, end: stop });
        }
      }
      return units;
    }

    // The terms: sequences of `ngrams` units, joined. Each has the units that it was made of.
    terms(units, settings) {
      const [shortest, longest] = settings.ngrams;
      const joiner = settings.unit === "char" ? "" : " ";
      const terms = [];
      for (let size = shortest; size <= longest; size++) {
        for (let at = 0; at + size <= units.length; at++) {
          const own = units.slice(at, at + size);
          terms.push({ term: own.map((one) => one.unit).join(joiner), first: at, size });
        }
      }
      return terms;
    }
  }

  globalThis.laconic = { ...globalThis.laconic, Reading };
}
