// Light or dark: the system's setting, until the button is pressed.
"use strict";
{
  const dark = matchMedia("(prefers-color-scheme: dark)");

  function apply(name) {
    document.documentElement.dataset.theme = name;
    document.getElementById("theme")?.setAttribute("aria-pressed", String(name === "dark"));
    document.dispatchEvent(new Event("laconic-theme"));
  }

  let override = null;
  const current = () => override ?? (dark.matches ? "dark" : "light");
  dark.addEventListener("change", () => apply(current()));
  document.addEventListener("DOMContentLoaded", () => {
    document.getElementById("theme").addEventListener("click", () => {
      override = current() === "dark" ? "light" : "dark";
      apply(override);
    });
    apply(current());
  });
  apply(current());

  globalThis.laconic = { ...globalThis.laconic, theme: current };
}
