// Shared by all parts of the page. Untrusted text becomes text nodes only.
"use strict";
{
  const UNDRAWABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Cn}\p{Zl}\p{Zp}]/gu;

  // Characters that are invisible or change the text direction, spelled out: as `plain` in Python.
  function plain(text) {
    return text.replace(UNDRAWABLE, (character) => {
      return `‹${character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}›`;
    });
  }

  // An element with attributes and children; strings become text nodes.
  function element(name, attributes = {}, ...children) {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    node.append(...children);
    return node;
  }

  function signed(number, digits = 3) {
    const text = Math.abs(number).toFixed(digits);
    return Number(text) === 0 ? text : (number < 0 ? "−" : "+") + text;
  }

  function percent(share) {
    return `${(100 * share).toFixed(1)} %`;
  }

  // A bar from the centre of its cell, to the right for positive numbers.
  function bar(number, largest) {
    const filled = element("span", { class: number < 0 ? "bar against" : "bar for" });
    filled.style.setProperty("--share", largest > 0 ? Math.abs(number) / largest : 0);
    return element("span", { class: "track", "aria-hidden": "true" }, filled);
  }

  function embedded(id) {
    return JSON.parse(document.getElementById(id).textContent);
  }

  function options(select, names, selected) {
    select.replaceChildren(
      ...names.map(([value, name]) => element("option", { value }, name)),
    );
    if (selected !== undefined) select.value = selected;
  }

  globalThis.laconic = { ...globalThis.laconic, plain, element, signed, percent, bar, embedded, options };
}
