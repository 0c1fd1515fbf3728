// Light or dark: as the system has it, until the button is pressed.
"use strict";
{
  const dark = matchMedia("(prefers-color-scheme: dark)");

  function apply(name) {
    document.documentElement.dataset.theme = name;
    document.getElementById("theme")?.setAttribute("aria-pressed", String(name === "dark"));
    document.dispatchEvent(new Event("laconic-theme"));
  }

  let asked = null;
  const current = () => asked ?? (dark.matches ? "dark" : "light");
  dark.addEventListener("change", () => apply(current()));
  document.addEventListener("DOMContentLoaded", () => {
    document.getElementById("theme").addEventListener("click", () => {
      asked = current() === "dark" ? "light" : "dark";
      apply(asked);
    });
    apply(current());
  });
  apply(current());

  globalThis.laconic = { ...globalThis.laconic, theme: current };
}
