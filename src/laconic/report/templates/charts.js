// Charts, drawn by Vega with its interpreter: no data is evaluated as code.
"use strict";
{
  const { element, embedded, options } = laconic;
  const LABELS = { metric: "Metric", test: "Test", index: "Index", problem: "Problem" };

  class Chart {
    constructor(name) {
      this.name = name;
      this.spec = embedded(`spec-${name}`);
      this.choices = this.spec.usermeta?.choices ?? {};
      // of a chart of several metrics, those of each problem; the first decides
      this.metrics = new Map(Object.entries(this.spec.usermeta?.metrics ?? {}));
      this.values = {};
      this.view = null;
      this.ready = Promise.resolve();
      this.addSelects();
    }

    // One select per parameter; the problem is selected for the whole page.
    addSelects() {
      const container = document.querySelector(`[data-switches="${this.name}"]`);
      for (const [name, values] of Object.entries(this.choices)) {
        if (name === "problem" || values.length < 2) continue;
        const select = element("select", { "data-switch": name });
        options(select, values.map((value) => [value, value]));
        select.addEventListener("change", () => {
          if (name === "metric") this.wanted = select.value;
          this.set(name, select.value);
        });
        container.append(element("label", {}, `${LABELS[name] ?? name} `, select));
      }
      this.addMethods(container);
    }

    // One checkbox per method of a line chart: its legend cannot be used by keyboard.
    addMethods(container) {
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
      container.append(element("details", {}, element("summary", {}, "Select methods"), set));
    }

    async hide(methods) {
      this.hidden = methods;
      await this.ready;
      await this.view?.signal("hidden", methods).runAsync();
    }

    // Unknown signals, and values without rows, are ignored.
    async set(name, value) {
      if (!(this.choices[name] ?? []).includes(value)) return;
      this.values[name] = value;
      await this.ready;
      await this.view?.signal(name, value).runAsync();
      this.describe();
      if (name === "problem") await this.offerMetrics(value);
    }

    // The metrics of the problem: the reader's, if it has that one, else the one that decides.
    async offerMetrics(problem) {
      const metrics = this.metrics.get(problem) ?? [];
      const select = document.querySelector(`[data-switches="${this.name}"] [data-switch="metric"]`);
      if (select === null || metrics.length === 0) return;
      options(select, metrics.map((metric) => [metric, metric]));
      select.value = metrics.includes(this.wanted) ? this.wanted : metrics[0];
      if (select.value !== (this.values.metric ?? this.choices.metric[0])) await this.set("metric", select.value);
    }

    // The description of the default chart does not apply to another selection.
    describe() {
      const svg = document.querySelector(`#chart-${this.name} svg`);
      if (!svg || Object.keys(this.values).length === 0) return;
      const shown = Object.entries(this.values).map(([name, value]) => `${LABELS[name] ?? name}: ${value}`);
      const heading = svg.closest("section")?.querySelector("h2, h3")?.textContent ?? this.name;
      for (const node of [svg, ...svg.querySelectorAll("[aria-label]")]) {
        if (node === svg || node.getAttribute("role") === "graphics-document") {
          node.setAttribute("aria-label", `${heading}. ${shown.join(", ")}.`);
        }
      }
    }

    // Vega measures legends after it has set its height: a second run finds the height they need.
    fit() {
      return this.view.resize().runAsync();
    }

    draw(config) {
      this.ready = this.ready.then(() => this.embed(config));
      return this.ready;
    }

    async embed(config) {
      this.result?.finalize();
      const container = document.getElementById(`chart-${this.name}`);
      // a title wider than the chart would shrink it
      const title = { ...config.title, limit: Math.max(160, container.clientWidth - 80) };
      const spec = structuredClone(this.spec);
      for (const param of spec.params ?? []) {
        if (param.name in this.values) param.value = this.values[param.name];
        if (param.name === "hidden" && this.hidden) param.value = this.hidden;
      }
      this.result = await vegaEmbed(container, spec, {
        ast: true,
        renderer: "svg",
        config: { ...config, title },
        logLevel: 1, // errors only; warnings are for the authors of charts
        defaultStyle: false,
        forceActionsMenu: true,
        downloadFileName: this.name,
        tooltip: { disableDefaultStyle: true },
        actions: { export: true, source: false, compiled: false, editor: false },
      });
      this.view = this.result.view;
      container.querySelector("details > summary")?.setAttribute("aria-label", `Save this chart: ${this.name}`);
      await this.fit();
      this.describe();
    }
  }

  function charts() {
    return Array.from(document.querySelectorAll("[data-chart]"), (node) => new Chart(node.dataset.chart));
  }

  globalThis.laconic = { ...globalThis.laconic, charts };
}
