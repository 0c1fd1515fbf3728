"""`FeatureSet`: words, stems, word n-grams or character n-grams, as a shorthand of `TextOptions`.

Imports nothing heavy: the command line is made from these names.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

from laconic.errors import LaconicError
from laconic.options import options_of
from laconic.runtime.choices import UnitName
from laconic.text.language import LANGUAGES, Language
from laconic.text.options import TextOptions, parse_range

WORDS, STEMS = "words", "stems"
# The n-grams of sets that do not say which.
NGRAMS = {"word-ngrams": (1, 2), "char-ngrams": (1, 3)}
# The simplest first.
KINDS = (WORDS, STEMS, *NGRAMS)
AUTO = "auto"
# The text options that a set decides. If a plan gives one of them, it is used as it is.
DECIDED = ("unit", "token_pattern", "ngrams", "stem")
EXPECTED = "auto, words, stems, stems:german, word-ngrams, word-ngrams:1-3, char-ngrams or so"


@dataclass(frozen=True)
class FeatureSet:
    """A kind of features with the language of its stems or the lengths of its n-grams.

    `language` is that of stems, or empty for that of the corpus.
    """

    kind: str
    language: str = ""
    ngrams: tuple[int, int] = (1, 1)

    @classmethod
    def parse(cls, name: str) -> Self:
        """The set of a name such as "stems:german" or "char-ngrams:2-4"."""
        kind, _, setting = name.partition(":")
        if kind not in KINDS or (kind == WORDS and setting):
            raise LaconicError(f"features={name!r}: give {EXPECTED}")
        if kind == STEMS:
            return cls(kind, _stemmed(setting) if setting else "")
        if kind == WORDS:
            return cls(kind)
        try:
            ngrams = parse_range(setting) if setting else NGRAMS[kind]
        except ValueError:
            ngrams = (0, 0)
        if not 1 <= ngrams[0] <= ngrams[1]:
            raise LaconicError(f"features={name!r}: give a range of lengths, such as {kind}:1-3")
        return cls(kind, ngrams=ngrams)

    @property
    def name(self) -> str:
        """What `parse` reads back."""
        if self.kind in NGRAMS:
            return f"{self.kind}:{self.ngrams[0]}-{self.ngrams[1]}"
        return f"{self.kind}:{self.language}" if self.language else self.kind

    @property
    def title(self) -> str:
        """Such as "stems (German)" or "character 1–3-grams"."""
        if self.kind in NGRAMS:
            unit = "word" if self.kind == "word-ngrams" else "character"
            shortest, longest = self.ngrams
            lengths = f"{shortest}–{longest}" if shortest < longest else f"{longest}"
            return f"{unit} {lengths}-grams"
        return f"{self.kind} ({self.language.capitalize()})" if self.language else self.kind

    def text(self, others: TextOptions) -> TextOptions:
        """The text options of the set; `others` are those that it does not decide."""
        unit: UnitName = "char" if self.kind == "char-ngrams" else "word"
        stem = Language(self.language, "").stemmer if self.kind == STEMS else None
        return replace(others, unit=unit, ngrams=self.ngrams, stem=stem)


def feature_sets(language: Language) -> tuple[FeatureSet, ...]:
    """The sets to choose from for texts of a language, the simplest first."""
    ngrams = [FeatureSet.parse(kind) for kind in NGRAMS]
    if not language.segmented:
        return tuple(ngrams[-1:])
    stems = [FeatureSet(STEMS, language.name)] if language.stemmer else []
    return (FeatureSet(WORDS), *stems, *ngrams)


def check_features(name: str, text: TextOptions) -> None:
    """Refuse an unknown set, and one that the text options contradict."""
    if name == AUTO:
        return
    FeatureSet.parse(name)
    if options := decided(text):
        raise LaconicError(
            f"features={name!r} and {', '.join(options)}: both say which features are counted. "
            "Leave out one of them"
        )


def decided(text: TextOptions) -> list[str]:
    """The text options that a set decides and that do not have their default."""
    defaults = {option.name: option.default for option in options_of(TextOptions)}
    return [name for name in DECIDED if getattr(text, name) != defaults[name]]


def _stemmed(language: str) -> str:
    if language not in LANGUAGES or Language(language, "").stemmer is None:
        stemmed = ", ".join(name for name in LANGUAGES if Language(name, "").stemmer)
        raise LaconicError(f"stems of {language!r}: no such stemmer. Choose from {stemmed}")
    return language
