// Text becomes terms as in Laconic's `Vectorizer`.
//
// Which characters are letters, and their lower case, depend on the version of Unicode. The browser
// may have another version than the Python that counted the corpus, so the page has Python's tables.
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

  class TextReader {
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
      return this.characters(text, true).map((character) => character.text).join("");
    }

    // The characters of the text, each with its position in the original; one may become several.
    characters(text, lowercase) {
      const characters = Array.from(text);
      const points = characters.map((character) => character.codePointAt(0));
      const converted = [];
      let start = 0;
      characters.forEach((character, at) => {
        const end = start + character.length;
        for (const part of lowercase ? this.lowered(points, at, character) : [character]) {
          converted.push({ text: part, point: part.codePointAt(0), start, end });
        }
        start = end;
      });
      return converted;
    }

    lowered(points, at, character) {
      if (points[at] === SIGMA) return [this.endsWord(points, at) ? "ς" : "σ"];
      const lower = this.lowerCase.get(points[at]);
      return lower === undefined ? [character] : Array.from(lower);
    }

    // A capital sigma is final after a letter and before no letter, some marks ignored.
    endsWord(points, at) {
      let before = at - 1;
      while (before >= 0 && this.ignorable.has(points[before])) before--;
      if (before < 0 || !this.cased.has(points[before])) return false;
      let after = at + 1;
      while (after < points.length && this.ignorable.has(points[after])) after++;
      return after === points.length || !this.cased.has(points[after]);
    }

    // Which characters a pattern matches, and how many it needs; null for a custom pattern.
    static patterns(reader) {
      const word = (point) => reader.word.has(point);
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
        "[^\\W\\d_]+": [(p) => word(p) && !reader.digit.has(p) && p !== underscore, 1],
        "[^\\W_]+": [(p) => word(p) && p !== underscore, 1],
      };
    }

    pattern(text) {
      const patterns = TextReader.patterns(this);
      const plain = text.startsWith("(?u)") ? text.slice(4) : text;
      return Object.hasOwn(patterns, plain) ? patterns[plain] : null;
    }

    // Why texts cannot be read here with these settings; null if they can.
    obstacle(settings) {
      if (settings.unit === "char") return null;
      if (this.pattern(settings.token_pattern) === null) {
        return `this page does not support the token pattern ${settings.token_pattern}`;
      }
      if (settings.stem !== null && settings.stem !== "porter") {
        return `this page does not support the stemmer “${settings.stem}”, only “porter”`;
      }
      return null;
    }

    // The units that are counted, in order: {unit, start, end}, positions in the original text.
    units(text, settings, stops) {
      const characters = this.characters(text, settings.lowercase);
      if (settings.unit === "char") return this.characterUnits(characters);
      const tokens = this.tokens(characters, ...this.pattern(settings.token_pattern));
      const stem = settings.stem === "porter" ? laconic.porter : (word) => word;
      return tokens
        .filter((token) => token.length >= settings.min_length)
        .filter((token) => !stops.has(settings.lowercase ? token.text : this.lower(token.text)))
        .map(({ text: word, start, end }) => ({ unit: stem(word), start, end }));
    }

    // Runs of characters that the pattern matches; `length` counts code points.
    tokens(characters, matches, shortest) {
      const tokens = [];
      let run = [];
      const close = () => {
        if (run.length >= shortest) {
          tokens.push({
            text: run.map((character) => character.text).join(""),
            length: run.length,
            start: run[0].start,
            end: run.at(-1).end,
          });
        }
        run = [];
      };
      for (const character of characters) {
        if (matches(character.point)) run.push(character);
        else close();
      }
      close();
      return tokens;
    }

    // Two or more white spaces become one blank.
    characterUnits(characters) {
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

    // The terms: sequences of `ngrams` units, joined, with the position of their first unit.
    terms(units, settings) {
      const [shortest, longest] = settings.ngrams;
      const joiner = settings.unit === "char" ? "" : " ";
      const terms = [];
      for (let size = shortest; size <= longest; size++) {
        for (let at = 0; at + size <= units.length; at++) {
          const parts = units.slice(at, at + size);
          terms.push({ term: parts.map(({ unit }) => unit).join(joiner), first: at, size });
        }
      }
      return terms;
    }
  }

  globalThis.laconic = { ...globalThis.laconic, TextReader };
}
