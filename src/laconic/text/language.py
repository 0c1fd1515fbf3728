"""`guess_language`: the language of texts, from their script and their stop words.

Imports nothing heavy: the command line is made from the names of the languages.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from laconic.errors import LaconicError

# Frequent stop words. Those that languages share count for each of them.
STOP_WORDS: Mapping[str, str] = {
    "arabic": "في من على إلى أن عن هذا هذه التي الذي كان لا ما مع ذلك لم قد بين كل هو هي بعد",
    "armenian": "և է են որ մի այս այդ եմ չի հետ համար ինչ բայց նա նրա մեջ մասին կամ էր իր",
    "basque": "eta da ez du bat izan dira baina ere dut zen baino hau hori edo dela gara beste",
    "catalan": "els amb és una per les del aquest però seva més ser són també van havia molt què",
    "czech": "se na je že to jsem ale jako jsou které který když tak nebo také byl byla po pro",
    "danish": "og er ikke jeg det at en af til med som på har de den hvad efter nogle blev mig",
    "dutch": "de het een en van ik niet dat is op te zijn met voor ook aan er maar om bij wat deze",
    "english": "the of and to in is that it was for on are with as this be at not have from by you",
    "esperanto": "la kaj estas de en al ne ke mi por ĉi kun tio sed pri li oni ankaŭ kiu ili ĝi",
    "estonian": "ja on ei et see kui ka oli ta aga mis või seda ning olen selle nii nagu siis oma",
    "finnish": "ja on ei se että oli hän mutta kun ovat niin mitä minä joka myös ole tämä kuin nyt",
    "french": "le la les des et est un une du dans que qui pas pour sur au avec ce ne il je vous",
    "german": "der die und das ist nicht ein eine den zu mit von auf sich für dem des auch als wir",
    "greek": "και το να του η της ο με που την από για τα δεν είναι στο των σε θα τον μια ένα",
    "hindi": "के है में की और को से का हैं यह पर एक नहीं कि ने था इस भी लिए तो हो वह",
    "hungarian": "a az és hogy nem is egy van ez meg de volt csak mint ha vagy azt még már kell",
    "indonesian": "yang dan di itu dengan untuk tidak ini dari dalam akan pada ke ada saya karena",
    "irish": "an na agus ar is go bhí le sé ag atá ní mar leis sin ach tá seo bhfuil chun nach",
    "italian": "il di che la è non per un una in sono del con della le si da come gli ma anche",
    "lithuanian": "ir kad yra į ne su kaip tai bet iš apie buvo jis aš jau nuo savo arba prie po",
    "nepali": "र छ को मा हो पनि छन् यो गर्न भएको लागि थियो गरेको हुन्छ एक तर छैन ले यस भने",
    "norwegian": "og er ikke jeg det at en av til med som på har de den hva etter noen ble meg",
    "persian": "و در به از که این را با است آن برای بود یک تا شد بر هم خود می شود کرد هر",
    "polish": "w i na się nie z do to że jest o jak co po tak ale od za przez są był czy tym",
    "portuguese": "o de que e não do da em um uma para com os no na por mais as dos se foi ao",
    "romanian": "și de la în a că pe nu este cu o un mai din care să au pentru ce sunt dar fi",
    "russian": "и в не на что он с как по это но из она они был у так же бы для мы вы только",
    "serbian": "je i u da se na za su od sa nije koji što kao bio ali ili kada "
    "је и у да се на за су од са није који што као био али или када",
    "sesotho": "ho le ya ke ka ba wa o e ha tsa mme hore di fela moo kapa bona eo sa kgotsa",
    "spanish": "el de que y la en los del se las por un una con no es para su al lo como más pero",
    "swedish": "och är inte jag det att en av till med som på har de den vad efter några blev",
    "tamil": "ஒரு என்று இந்த அந்த மற்றும் என்ற அது இது என ஆனால் தான் நான் அவர் பின்னர் வேண்டும் உள்ளது",
    "turkish": "ve bir bu için da de çok ne ile gibi daha ben var ama olarak değil olan kadar",
    "yiddish": "די דער און איז דאָס אַז מיט אין צו נישט פֿון אַ איך האָט וואָס פֿאַר ער זיך אויף",
    # without a stemmer: they are here so that they are not taken for a neighbour
    "bulgarian": "и на да се за не от в са е по че със като това който беше към има ще или той",
    "ukrainian": "і в не на що з у та це як до за але він від вона його про є для ми чи був ще",
    "vietnamese": "và của là có không được cho trong một những này với các người đã để khi tôi",
}
# Scripts whose words are not divided by blanks, as classes of a regular expression.
UNSEGMENTED: Mapping[str, str] = {
    "chinese": "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff",
    "japanese": "\u3040-\u30ff\uff66-\uff9f",
    "thai": "\u0e00-\u0e7f",
    "khmer": "\u1780-\u17ff",
    "lao": "\u0e80-\u0eff",
    "burmese": "\u1000-\u109f",
}
LANGUAGES = (*STOP_WORDS, *UNSEGMENTED)
# The share of kana above which Han characters are Japanese.
KANA = 0.05
# What is read of a corpus: so many documents, so many characters of each.
DOCUMENTS = 500
CHARACTERS = 2000
# The least share of stop words among words, and of documents that agree with the language.
LEAST_WORDS = 0.05
LEAST_DOCUMENTS = 0.8
# A document with fewer stop words is too short to disagree.
LEAST_OF_DOCUMENT = 4


@dataclass(frozen=True)
class Language:
    """The language of texts; `name` is empty if it is not known. `reason` says how it is known."""

    name: str
    reason: str

    @property
    def segmented(self) -> bool:
        """Whether blanks divide the words."""
        return self.name not in UNSEGMENTED

    @property
    def stemmer(self) -> str | None:
        """The algorithm of PyStemmer, if there is one; of English the one that pages have too."""
        import Stemmer

        if self.name == "english":
            return "porter"
        return self.name if self.name in Stemmer.algorithms() else None

    @property
    def title(self) -> str:
        return self.name.capitalize() or "unknown"

    @property
    def sentence(self) -> str:
        return f"Language: {self.title} ({self.reason})"


def language_of(name: str, texts: Sequence[str]) -> Language:
    """The language of this name, or for "auto" that of the texts."""
    if name == "auto":
        return guess_language(texts)
    return Language("" if name == "none" else name, "as specified")


def check_language(name: str) -> None:
    if name not in (*LANGUAGES, "auto", "none"):
        raise LaconicError(
            f"language={name!r}: give auto, none, or one of {', '.join(sorted(LANGUAGES))}"
        )


def guess_language(texts: Sequence[str]) -> Language:
    """The language of most texts, unknown if they are mixed or have few stop words."""
    step = max(1, len(texts) // DOCUMENTS)
    sample = [text[:CHARACTERS].lower() for text in texts[::step][:DOCUMENTS]]
    unsegmented = _unsegmented("".join(sample))
    if unsegmented:
        return Language(unsegmented, "guessed from its script")
    return _by_function_words([re.findall(r"[^\W\d_]+[\w\u0900-\u0bff]*", t) for t in sample])


def _unsegmented(text: str) -> str:
    """The language of a script without blanks, if most letters are of such a script."""
    n_letters = len(re.findall(r"[^\W\d_]", text))
    counts = {name: len(re.findall(f"[{block}]", text)) for name, block in UNSEGMENTED.items()}
    total = sum(counts.values())
    if not total or total < n_letters / 2:
        return ""
    han_and_kana = counts["chinese"] + counts["japanese"]
    if counts["japanese"] > KANA * han_and_kana:
        counts["japanese"] = han_and_kana
    return max(counts, key=lambda name: counts[name])


def _by_function_words(documents: Sequence[Sequence[str]]) -> Language:
    by_document = [_counts(words) for words in documents]
    total = sum(by_document, Counter())
    if not total:
        return Language("", "no known stop words")
    name, number = max(total.items(), key=lambda item: (item[1], item[0]))
    if number < LEAST_WORDS * sum(map(len, documents)):
        return Language("", "few known stop words")
    most = [(counts[name], max(counts.values(), default=0)) for counts in by_document]
    agreeing = [n_words == largest for n_words, largest in most if largest >= LEAST_OF_DOCUMENT]
    if sum(agreeing) < LEAST_DOCUMENTS * len(agreeing):
        return Language("", "mixed stop words")
    return Language(name, "guessed from stop words")


def _counts(words: Sequence[str]) -> Counter[str]:
    """The stop words of each language."""
    languages = _languages()
    return Counter(name for word in words for name in languages.get(word, ()))


@cache
def _languages() -> dict[str, tuple[str, ...]]:
    """The languages of each function word."""
    languages: dict[str, tuple[str, ...]] = {}
    for name, words in STOP_WORDS.items():
        for word in dict.fromkeys(words.split()):
            languages[word] = (*languages.get(word, ()), name)
    return languages
