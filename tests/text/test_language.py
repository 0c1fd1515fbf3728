from __future__ import annotations

import pytest

from laconic.errors import LaconicError
from laconic.text.language import (
    LANGUAGES,
    STOP_WORDS,
    Language,
    check_language,
    guess_language,
    language_of,
)

SENTENCES = {
    "arabic": "كان الرجل في البيت مع ابنه الذي لم يذهب إلى المدرسة في هذا اليوم",
    "czech": "Nevím, jestli je to pravda, ale on se s tím nesmířil, protože jsem tam také byl.",
    "danish": "Jeg har ikke set hunden, og nogle af dem blev hjemme efter en tur til byen.",
    "dutch": "De hond is niet in het huis, maar de kinderen spelen met een kat op straat.",
    "english": "The fox was in the garden, and it is not clear that he will be back.",
    "finnish": "Hän ei ole kotona, mutta koira on ja se nukkuu kun me olemme ulkona.",
    "french": "Le chat est dans le jardin et les enfants ne sont pas avec lui.",
    "german": "Der Hund ist nicht im Garten, und die Katze schläft auf dem Sofa.",
    "greek": "Ο σκύλος δεν είναι στο σπίτι και η γάτα κοιμάται με τα παιδιά.",
    "hindi": "यह किताब मेरे भाई की है और वह इस समय घर में नहीं है",
    "hungarian": "A kutya nem volt a házban, de az is igaz, hogy egy macska már ott van.",
    "italian": "Il cane non è in casa, ma i bambini giocano con il gatto che dorme.",
    "norwegian": "Jeg har ikke sett hunden, og noen av dem ble hjemme etter en tur til byen.",
    "polish": "Nie wiem, czy to jest prawda, ale on się nie zgadza z tym, co było w domu.",
    "portuguese": "O cão não está na casa, mas os meninos brincam com o gato em um jardim.",
    "romanian": "Câinele nu este în casă, dar pisica doarme pe pat și copiii sunt cu ea.",
    "russian": "Он не знал, что это был только сон, и она не хотела говорить с ним.",
    "spanish": "El perro no está en la casa, pero los niños juegan con el gato en la calle.",
    "swedish": "Jag har inte sett hunden, och några av dem blev hemma efter en tur till byn.",
    "turkish": "Bu kitap çok güzel ama ben bir başka kitabı daha okumak için bekliyorum.",
    "ukrainian": "Він не знав, що це був лише сон, і вона не хотіла говорити про це з ним.",
    "burmese": "ဒီနေ့ရာသီဥတုကောင်းတယ်",
    "chinese": "我们今天去公园看花,天气很好。",
    "japanese": "私は今日公園に行きました。天気がとても良かったです。",
    "khmer": "ថ្ងៃនេះអាកាសធាតុល្អណាស់",
    "lao": "ມື້ນີ້ອາກາດດີຫຼາຍ",
    "thai": "วันนี้อากาศดีมากและเราไปสวนสาธารณะ",
}
UNSEGMENTED = {"burmese", "chinese", "japanese", "khmer", "lao", "thai"}


@pytest.mark.parametrize("name", SENTENCES)
def test_a_sentence_has_its_language(name):
    language = guess_language([SENTENCES[name]])
    assert language.name == name
    assert language.segmented == (name not in UNSEGMENTED)
    how = "guessed from stop words" if language.segmented else "guessed from its script"
    assert language.sentence == f"Language: {name.capitalize()} ({how})"


def test_stems_are_those_of_the_language():
    stemmers = {name: Language(name, "").stemmer for name in SENTENCES}
    assert stemmers["english"] == "porter", "which the page has too"
    assert stemmers["german"] == "german"
    assert stemmers["ukrainian"] is stemmers["thai"] is Language("", "").stemmer is None


@pytest.mark.parametrize(
    ("texts", "reason"),
    [
        ([], "no known stop words"),
        (["", "12 + 30 = 42"], "no known stop words"),
        (["오늘은 날씨가 매우 좋아서 우리는 공원에 갔습니다."], "no known stop words"),
        ([f"{'error timeout socket retry backoff host port ' * 3} of"] * 5, "few known"),
        ([SENTENCES["english"], SENTENCES["german"], SENTENCES["french"]] * 10, "mixed stop words"),
    ],
)
def test_mixed_or_unknown_texts_have_no_language(texts, reason):
    language = guess_language(texts)
    assert language.name == ""
    assert language.segmented
    assert reason in language.sentence


def test_a_few_texts_of_another_language_do_not_matter():
    texts = [SENTENCES["english"]] * 9 + [SENTENCES["german"]]
    assert guess_language(texts).name == "english"
    assert guess_language([f"{SENTENCES['thai']} Windows {i}" for i in range(9)]).name == "thai"


def test_a_name_overrides_the_guess():
    texts = [SENTENCES["english"]]
    assert language_of("auto", texts).name == "english"
    assert language_of("german", texts) == Language("german", "as specified")
    assert language_of("none", texts).stemmer is None
    for name in (*LANGUAGES, "auto", "none"):
        check_language(name)
    with pytest.raises(LaconicError, match="language='klingon': give auto, none"):
        check_language("klingon")


def test_stop_words_are_in_lower_case_and_tell_neighbours_apart():
    lists = {name: words.split() for name, words in STOP_WORDS.items()}
    for name, words in lists.items():
        assert [word.lower() for word in words] == words
        assert len(set(words)) >= 15, name
        for other, others in lists.items():
            assert name == other or len(set(words) - set(others)) >= 5, (name, other)
