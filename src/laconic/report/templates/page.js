// Connects the parts: charts, words, try-it box and map of the selected problem.
"use strict";
{
  const data = laconic.embedded("page-data");
  const charts = laconic.charts();
  const reader = data.tables === null ? null : new laconic.TextReader(data.tables);
  const words = data.details.length > 0 ? new laconic.WordsTable() : null;
  const tryIt = data.details.length > 0 ? new laconic.TryIt(reader) : null;

  const map = data.maps.length > 0 ? new laconic.DocumentMap(data.maps) : null;

  function draw() {
    const config = data.themes[laconic.theme()];
    return Promise.all(charts.map((chart) => chart.draw(config)));
  }

  function show(problem) {
    for (const chart of charts) chart.set("problem", problem);
    const at = data.details.findIndex((detail) => detail.problem === problem);
    for (const part of document.querySelectorAll("[data-problem]")) {
      part.hidden = part.dataset.problem !== String(at);
    }
    for (const id of ["try", "words"]) {
      document.getElementById(id).classList.toggle("elsewhere", at < 0 && data.details.length > 0);
    }
    map?.show(problem);
    // hidden charts have no width
    window.dispatchEvent(new Event("resize"));
    if (at < 0) return;
    words.show(data.details[at]);
    laconic.shown = tryIt.show(data.details[at]);
  }

  let timer;
  window.addEventListener("resize", () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      charts.forEach((chart) => chart.view && chart.fit());
      map?.draw();
    }, 200);
  });

  const select = document.getElementById("problem");
  if (select !== null) {
    laconic.options(select, data.problems.map((problem) => [problem, problem]));
    select.addEventListener("change", () => show(select.value));
  }
  let theme = laconic.theme();
  document.addEventListener("laconic-theme", () => {
    if (laconic.theme() !== theme) laconic.drawn = draw();
    theme = laconic.theme();
  });
  if (data.problems.length > 0) show(data.problems[0]);
  laconic.drawn = Promise.all([draw(), laconic.shown]);

  // The prediction of the try-it box, for tests and the console.
  laconic.predict = (text) => {
    const { scores, probabilities, chosen } = tryIt.model.predict(text, reader);
    return { scores, probabilities, classes: chosen.map((at) => tryIt.model.classes[at]) };
  };
  laconic.map = map;
  laconic.views = () => charts.map(({ name, view }) => ({ name, view }));
}
