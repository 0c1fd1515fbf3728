// The charts: Vega draws them, with its interpreter, so that nothing is evaluated as code.
"use strict";
{
  const { element, embedded, options } = laconic;
  const LABELS = { measure: "Measure", test: "Test", index: "Index" };

  class Chart {
    constructor(name) {
      this.name = name;
      this.spec = embedded(`spec-${name}`);
      this.choices = this.spec.usermeta?.choices ?? {};
      this.values = {};
      this.view = null;
      this.ready = Promise.resolve();
      this.offer();
    }

    // A select for each parameter; the problem is chosen for the whole page.
    offer() {
      const place = document.querySelector(`[data-switches="${this.name}"]`);
      for (const [name, values] of Object.entries(this.choices)) {
        if (name === "problem" || values.length < 2) continue;
        const select = element("select", { "data-switch": name });
        options(select, values.map((value) => [value, value]));
        select.addEventListener("change", () => this.set(name, select.value));
        place.append(element("label", {}, `${LABELS[name] ?? name} `, select));
      }
    }

    // Signals that the chart does not know, or values that it has no rows for, change nothing.
    async set(name, value) {
      if (!(this.choices[name] ?? []).includes(value)) return;
      this.values[name] = value;
      await this.ready;
      await this.view?.signal(name, value).runAsync();
      this.describe();
    }

    // What was said about the first picture is not true of another one.
    describe() {
      const drawn = document.querySelector(`#chart-${this.name} svg`);
      if (!drawn || Object.keys(this.values).length === 0) return;
      const shown = Object.entries(this.values).map(([name, value]) => `${LABELS[name] ?? name}: ${value}`);
      const heading = drawn.closest("section")?.querySelector("h2, h3")?.textContent ?? this.name;
      for (const place of [drawn, ...drawn.querySelectorAll("[aria-label]")]) {
        if (place === drawn || place.getAttribute("role") === "graphics-document") {
          place.setAttribute("aria-label", `${heading}. ${shown.join(", ")}.`);
        }
      }
    }

    // Vega measures legends after it has set its height: a second look finds the height they need.
    fit() {
      return this.view.resize().runAsync();
    }

    draw(config) {
      this.ready = this.ready.then(() => this.embed(config));
      return this.ready;
    }

    async embed(config) {
      this.result?.finalize();
      const place = document.getElementById(`chart-${this.name}`);
      // a title that is wider than the chart would squeeze it
      const title = { ...config.title, limit: Math.max(160, place.clientWidth - 80) };
      const spec = structuredClone(this.spec);
      for (const param of spec.params ?? []) {
        if (param.name in this.values) param.value = this.values[param.name];
      }
      this.result = await vegaEmbed(place, spec, {
        ast: true,
        renderer: "svg",
        config: { ...config, title },
        logLevel: 1, // errors; warnings speak to the authors of charts
        defaultStyle: false,
        forceActionsMenu: true,
        downloadFileName: this.name,
        tooltip: { disableDefaultStyle: true },
        actions: { export: true, source: false, compiled: false, editor: false },
      });
      this.view = this.result.view;
      place.querySelector("details > summary")?.setAttribute("aria-label", `Save this chart: ${this.name}`);
      await this.fit();
      this.describe();
    }
  }

  function charts() {
    return Array.from(document.querySelectorAll("[data-chart]"), (place) => new Chart(place.dataset.chart));
  }

  globalThis.laconic = { ...globalThis.laconic, charts };
}
