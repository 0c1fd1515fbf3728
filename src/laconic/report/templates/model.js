// A compact model, read from its file (docs/compact-model.md), and its prediction for a text.
// Only `CompactModel.read` is asynchronous: browsers inflate streams.
"use strict";
{
  const MARK = "laconic\x03"; // its last character is the version
  const LOW_STEPS = 8; // coefficients of int16 are LOW_STEPS · coef + coef.low, times a scale
  const TYPES = {
    U8: Uint8Array,
    I8: Int8Array,
    U16: Uint16Array,
    U32: Uint32Array,
    F32: Float32Array,
    F64: Float64Array,
  };
  // The idf of a word that occurs in df of n documents, by weighting; others have none.
  const IDF = {
    ltc: (n, df) => Math.log(n / df),
    tfidf: (n, df) => 1 + Math.log((1 + n) / (1 + df)),
    saturated: (n, df) => Math.log(n / df),
  };

  function bytesOf(base64) {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  }

  // The safetensors file within a model file.
  async function inflated(bytes) {
    if (String.fromCharCode(...bytes.subarray(0, MARK.length)) !== MARK) {
      throw new Error("this page cannot read its model");
    }
    const stream = new Blob([bytes.subarray(MARK.length)]).stream();
    const contents = stream.pipeThrough(new DecompressionStream("deflate"));
    return new Uint8Array(await new Response(contents).arrayBuffer());
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

  // Strings that each begin with some bytes of the string before.
  function strings(tensors, name) {
    if (!(`${name}.text` in tensors)) return [];
    const text = tensors[`${name}.text`].data;
    const { shape, data } = tensors[`${name}.bytes`];
    const shared = Array.from(data.subarray(0, shape[1]));
    let at = 0;
    let bytes = [];
    return shared.map((same, place) => {
      const rest = text.subarray(at, (at += data[shape[1] + place]));
      bytes = [...bytes.slice(0, same), ...rest];
      return decoded(bytes);
    });
  }

  class CompactModel {
    // The model of the bytes of a file.
    static async read(bytes) {
      return new CompactModel(readFile(await inflated(bytes)));
    }

    constructor({ settings, tensors }) {
      // the header leaves out what is null
      Object.assign(this, { text: null, length: null }, settings);
      if (this.text !== null) this.text = { stem: null, ...this.text };
      this.words = strings(tensors, "words");
      this.classes = strings(tensors, "classes");
      this.stops = new Set(strings(tensors, "stops"));
      this.place = new Map(this.words.map((word, at) => [word, at]));
      const idf = (df) => IDF[this.weighting](this.documents, df);
      this.idf = "df" in tensors ? Float64Array.from(tensors.df.data, idf) : null;
      this.intercept = tensors.intercept.data;
      this.rows = this.intercept.length;
      // the header has the kinds of these two under the same names
      this.thresholds = tensors.thresholds?.data ?? new Float64Array(this.rows);
      this.calibration = tensors.calibration?.data ?? null;
      if (this.kind === "linear") this.readCoefficients(tensors);
    }

    readCoefficients(tensors) {
      const stored = tensors.coef.data;
      const counts = tensors["coef.count"]?.data ?? this.words.map(() => this.rows);
      const skips = tensors["coef.skip"]?.data ?? new Uint8Array(stored.length);
      this.first = [0];
      this.row = new Uint32Array(stored.length);
      for (const count of counts) {
        let row = -1;
        const begin = this.first.at(-1);
        for (let at = begin; at < begin + count; at++) this.row[at] = row += skips[at] + 1;
        this.first.push(begin + count);
      }
      const low = tensors["coef.low"]?.data;
      const number = (value, at) => (low ? LOW_STEPS * value + low[at] : value);
      const scale = tensors["coef.scale"]?.data ?? new Float32Array(this.rows).fill(1);
      this.coef = Float64Array.from(stored, (value, at) => number(value, at) * scale[this.row[at]]);
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
      if (this.weighting === "saturated") return (tf / (tf + 1.2)) * idf;
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
          const row = this.row[at];
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
