// A compact model, read from its file (docs/compact-model.md), and its prediction for a text.
"use strict";
{
  const FORMAT = "laconic compact model";
  const VERSION = 2;
  const TYPES = { U8: Uint8Array, U32: Uint32Array, I64: BigInt64Array, F64: Float64Array };

  function bytesOf(base64) {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  }

  // safetensors: the length of the header, the header (JSON), the numbers.
  function readFile(bytes) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const size = Number(view.getBigUint64(0, true));
    const header = JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + size)));
    const { __metadata__: metadata, ...entries } = header;
    const tensors = {};
    for (const [name, { dtype, shape, data_offsets: [begin, end] }] of Object.entries(entries)) {
      // a copy, because typed arrays must start at a multiple of their item size
      const data = bytes.slice(8 + size + begin, 8 + size + end);
      tensors[name] = { shape, data: new TYPES[dtype](data.buffer) };
    }
    return { settings: JSON.parse(metadata.laconic), tensors };
  }

  // UTF-8 with lone surrogates allowed, as Python's "surrogatepass".
  function decoded(bytes) {
    let text = "";
    for (let at = 0; at < bytes.length; ) {
      const lead = bytes[at++];
      let more = lead < 0x80 ? 0 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
      let point = more === 0 ? lead : lead & (0x3f >> more);
      while (more-- > 0) point = (point << 6) | (bytes[at++] & 0x3f);
      text += String.fromCodePoint(point);
    }
    return text;
  }

  function strings(tensors, name) {
    const text = tensors[`${name}.text`].data;
    let at = 0;
    return Array.from(tensors[`${name}.length`].data, (size) => decoded(text.subarray(at, (at += size))));
  }

  class CompactModel {
    constructor(bytes) {
      const { settings, tensors } = readFile(bytes);
      if (settings.format !== FORMAT || settings.version !== VERSION) {
        throw new Error("this page cannot read its model");
      }
      Object.assign(this, settings);
      this.words = strings(tensors, "words");
      this.classes = strings(tensors, "classes");
      this.stops = new Set(this.text === null ? [] : strings(tensors, "stops"));
      this.place = new Map(this.words.map((word, at) => [word, at]));
      this.idf = tensors.idf?.data ?? null;
      this.intercept = tensors.intercept.data;
      this.rows = this.intercept.length;
      // the header has the kinds of these two under the same names
      this.thresholds = tensors.thresholds?.data ?? new Float64Array(this.rows);
      this.calibration = tensors.calibration?.data ?? null;
      if (this.kind === "linear") this.readCoefficients(tensors);
    }

    readCoefficients(tensors) {
      this.coef = tensors.coef.data;
      if ("coef.first" in tensors) {
        this.row = tensors["coef.row"].data;
        this.first = Array.from(tensors["coef.first"].data, Number);
      } else {
        this.row = null; // every row has every word
        this.first = this.words.map((_, at) => at * this.rows);
        this.first.push(this.coef.length);
      }
    }

    // Why the page cannot classify texts; null if it can.
    obstacle(reader) {
      if (this.text === null) {
        return "the corpus had vectors instead of texts, so it is unknown how to find its words in a text";
      }
      if (this.kind !== "linear") return "the model is not linear";
      return reader.obstacle(this.text);
    }

    // The model's words in a text with their counts, and the units with their positions.
    count(text, reader) {
      const units = reader.units(text, this.text, this.stops);
      const terms = reader.terms(units, this.text);
      const counts = new Map();
      const occurrences = [];
      for (const term of terms) {
        const word = this.place.get(term.term);
        if (word === undefined) continue;
        counts.set(word, (counts.get(word) ?? 0) + 1);
        occurrences.push({ ...term, word });
      }
      return { units, occurrences, counts };
    }

    weight(word, tf) {
      const idf = this.idf === null ? 1 : this.idf[word];
      if (this.weighting === "ltc") return Math.max(0, 1 + Math.log(tf)) * idf;
      return (this.weighting === "binary" ? 1 : tf) * idf;
    }

    weights(counts) {
      const weights = new Map();
      for (const [word, tf] of counts) weights.set(word, this.weight(word, tf));
      if (this.normalize !== "all" || this.length === null) return weights;
      let total = 0;
      for (const weight of weights.values()) total += this.length === "l2" ? weight * weight : weight;
      const length = this.length === "l2" ? Math.sqrt(total) : total;
      for (const [word, weight] of weights) weights.set(word, length > 0 ? weight / length : 0);
      return weights;
    }

    // One score per row, and each word's contribution to it: shares[row] is a map of words.
    decide(counts) {
      const sums = new Float64Array(this.rows);
      const squares = new Float64Array(this.rows);
      const shares = Array.from({ length: this.rows }, () => new Map());
      for (const [word, weight] of this.weights(counts)) {
        for (let at = this.first[word]; at < this.first[word + 1]; at++) {
          const row = this.row === null ? at - this.first[word] : this.row[at];
          sums[row] += weight * this.coef[at];
          squares[row] += weight * weight;
          shares[row].set(word, weight * this.coef[at]);
        }
      }
      if (this.normalize === "selected") {
        for (let row = 0; row < this.rows; row++) {
          const inverse = squares[row] > 0 ? 1 / Math.sqrt(squares[row]) : 0;
          sums[row] *= inverse;
          for (const [word, share] of shares[row]) shares[row].set(word, share * inverse);
        }
      }
      return { scores: Array.from(sums, (sum, row) => sum + this.intercept[row]), shares };
    }

    // Positions of the predicted classes.
    chosen(scores) {
      const positive = (score, row) => score > this.thresholds[row];
      if (this.rule === "sign") return [positive(scores[0], 0) ? 1 : 0];
      if (this.rule === "labels") return scores.flatMap((score, at) => (positive(score, at) ? [at] : []));
      let best = 0;
      scores.forEach((score, at) => {
        if (score > scores[best]) best = at;
      });
      return [best];
    }

    // One probability per class; null if the model has no calibration.
    probabilities(scores) {
      if (this.calibration === null) return null;
      if (this.rule === "argmax") {
        const largest = Math.max(...scores);
        const powers = scores.map((score) => Math.exp((score - largest) / this.calibration[0]));
        const total = powers.reduce((sum, power) => sum + power, 0);
        return powers.map((power) => power / total);
      }
      const logits = scores.map((score, row) => this.calibration[2 * row] * score + this.calibration[2 * row + 1]);
      const all = this.rule === "sign" ? [-logits[0], logits[0]] : logits;
      return all.map((logit) => 1 / (1 + Math.exp(-logit)));
    }

    predict(text, reader) {
      const { units, occurrences, counts } = this.count(text, reader);
      const { scores, shares } = this.decide(counts);
      const probabilities = this.probabilities(scores);
      return { units, occurrences, counts, scores, shares, probabilities, chosen: this.chosen(scores) };
    }
  }

  globalThis.laconic = { ...globalThis.laconic, CompactModel, bytesOf };
}
