// The stems of the Porter algorithm, as Snowball defines it and PyStemmer computes it.
"use strict";
{
  const VOWELS = "aeiouy";
  const NOT_SHORT = VOWELS + "wxY"; // a short syllable does not end in one of these

  const STEP_2 = table(
    "tional tion, enci ence, anci ance, abli able, entli ent, eli e, izer ize, ization ize," +
      "ational ate, ation ate, ator ate, alism al, aliti al, alli al, fulness ful, ousli ous," +
      "ousness ous, iveness ive, iviti ive, biliti ble",
  );
  const STEP_3 = table(
    "alize al, icate ic, iciti ic, ical ic, ative, ful, ness",
  );
  const STEP_4 = table(
    "al, ance, ence, er, ic, able, ible, ant, ement, ment, ent, ou, ism, ate, iti, ous, ive, ize," +
      "ion",
  );

  function table(text) {
    const pairs = text.split(",").map((pair) => pair.trim().split(" "));
    return new Map(pairs.map(([ending, replacement]) => [ending, replacement ?? ""]));
  }

  function isVowel(character) {
    return VOWELS.includes(character);
  }

  // A y is a consonant, written Y, at the start and after a vowel.
  function marked(word) {
    const characters = Array.from(word);
    characters.forEach((character, at) => {
      if (character === "y" && (at === 0 || isVowel(characters[at - 1]))) characters[at] = "Y";
    });
    return characters;
  }

  // Where the regions R1 and R2 begin: each after the first consonant that follows a vowel.
  function regions(characters) {
    const length = characters.join("").length;
    const begins = [];
    let offset = 0;
    let vowelSeen = false;
    for (const character of characters) {
      offset += character.length;
      if (isVowel(character)) vowelSeen = true;
      else if (vowelSeen) {
        begins.push(offset);
        vowelSeen = false;
      }
    }
    return [begins[0] ?? length, begins[1] ?? length];
  }

  function longestEnding(word, endings) {
    const longest = Math.min(7, word.length);
    for (let size = longest; size > 0; size--) {
      const ending = word.slice(word.length - size);
      if (endings.has(ending)) return ending;
    }
    return null;
  }

  // Consonant, vowel, consonant: the last of them none of w, x and Y.
  function endsShort(word) {
    const [first, second, third] = Array.from(word.slice(-4)).slice(-3);
    return (
      third !== undefined && !NOT_SHORT.includes(third) && isVowel(second) && !isVowel(first)
    );
  }

  function hasVowel(word) {
    return Array.from(word).some(isVowel);
  }

  function plural(word) {
    if (word.endsWith("sses") || word.endsWith("ies")) return word.slice(0, -2);
    return word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word;
  }

  function pastOrGerund(word, r1) {
    if (word.endsWith("eed")) return word.length - 3 >= r1 ? word.slice(0, -1) : word;
    const ending = ["ed", "ing"].find((suffix) => word.endsWith(suffix));
    if (ending === undefined) return word;
    const rest = word.slice(0, -ending.length);
    if (!hasVowel(rest)) return word;
    if (/(at|bl|iz)$/.test(rest)) return rest + "e";
    if (/(bb|dd|ff|gg|mm|nn|pp|rr|tt)$/.test(rest)) return rest.slice(0, -1);
    return rest.length === r1 && endsShort(rest) ? rest + "e" : rest;
  }

  function finalY(word) {
    return /[yY]$/.test(word) && hasVowel(word.slice(0, -1)) ? word.slice(0, -1) + "i" : word;
  }

  function replaced(word, endings, region) {
    const ending = longestEnding(word, endings);
    if (ending === null || word.length - ending.length < region) return word;
    return word.slice(0, word.length - ending.length) + endings.get(ending);
  }

  function withoutEnding(word, r2) {
    const ending = longestEnding(word, STEP_4);
    if (ending === null || word.length - ending.length < r2) return word;
    const rest = word.slice(0, word.length - ending.length);
    return ending === "ion" && !/[st]$/.test(rest) ? word : rest;
  }

  function finalE(word, r1, r2) {
    if (!word.endsWith("e")) return word;
    const rest = word.slice(0, -1);
    return rest.length >= r2 || (rest.length >= r1 && !endsShort(rest)) ? rest : word;
  }

  function doubleL(word, r2) {
    return word.endsWith("ll") && word.length - 1 >= r2 ? word.slice(0, -1) : word;
  }

  function porter(word) {
    const characters = marked(word);
    const [r1, r2] = regions(characters);
    let stem = characters.join("");
    const changed = stem !== word;
    stem = plural(stem);
    stem = pastOrGerund(stem, r1);
    stem = finalY(stem);
    stem = replaced(stem, STEP_2, r1);
    stem = replaced(stem, STEP_3, r1);
    stem = withoutEnding(stem, r2);
    stem = finalE(stem, r1, r2);
    stem = doubleL(stem, r2);
    return changed ? stem.replaceAll("Y", "y") : stem;
  }

  globalThis.laconic = { ...globalThis.laconic, porter };
}
