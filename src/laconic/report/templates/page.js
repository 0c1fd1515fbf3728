// Puts the parts together: charts, words, try-it box and map of the chosen problem.
"use strict";
{
  const data = laconic.embedded("page-data");
  const charts = laconic.charts();
  const reading = data.tables === null ? null : new laconic.Reading(data.tables);
  const words = data.details.length > 0 ? new laconic.WordsTable() : null;
  const tryIt = data.details.length > 0 ? new laconic.TryIt(reading) : null;

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
    // charts that were hidden have had no width
    window.dispatchEvent(new Event("resize"));
    if (at < 0) return;
    words.show(data.details[at]);
    tryIt.show(data.details[at]);
  }

  let later;
  window.addEventListener("resize", () => {
    clearTimeout(later);
    later = setTimeout(() => {
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
  laconic.drawn = draw();

  // What the box computes, for tests and for the curious.
  laconic.tell = (text) => {
    const { scores, chosen } = tryIt.model.tell(text, reading);
    return { scores, classes: chosen.map((at) => tryIt.model.classes[at]) };
  };
  laconic.map = map;
  laconic.views = () => charts.map(({ name, view }) => ({ name, view }));
}
