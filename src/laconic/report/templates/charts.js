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
      this.offerMethods(place);
    }

    // A box for each method of a chart with lines: its legend can be clicked, but not reached by keys.
    offerMethods(place) {
      const points = this.spec.datasets?.points ?? [];
      const methods = [...new Set(points.filter((point) => !point.baseline).map((point) => point.method))];
      if (methods.length < 2 || !(this.spec.params ?? []).some((param) => param.name === "hidden")) return;
      const boxes = methods.map((method) => {
        const box = element("input", { type: "checkbox", "data-method": method });
        box.checked = true;
        box.addEventListener("change", () => this.hide(methods.filter((_, at) => !boxes[at].checked)));
        return box;
      });
      const labels = methods.map((method, at) => element("label", {}, boxes[at], element("bdi", {}, ` ${method} `)));
      const set = element("fieldset", {}, element("legend", {}, "Methods shown"), ...labels);
      place.append(element("details", {}, element("summary", {}, "Choose methods"), set));
    }

    async hide(methods) {
      this.hidden = methods;
      await this.ready;
      await this.view?.signal("hidden", methods).runAsync();
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
        if (param.name === "hidden" && this.hidden) param.value = this.hidden;
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
