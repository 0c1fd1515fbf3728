"""One small file that classifies raw text, and says which words decided."""

from pathlib import Path
from tempfile import TemporaryDirectory

from laconic import CompactModel, ReduceThenFit, SVMClassifier, TopTerms, Vectorizer, load_corpus
from laconic.compact import train
from laconic.scores import information_gain

corpus = load_corpus("pydocs")
method = ReduceThenFit(TopTerms(by=information_gain), SVMClassifier(), normalize="selected")
model = train(method, corpus, 500, vectorizer=Vectorizer(stem="porter"))

with TemporaryDirectory() as folder:
    file = Path(folder) / "pydocs.laconic"
    model.save(file)
    print(f"{model.n_words} words, {len(model.classes)} classes, {file.stat().st_size:,} bytes")
    served = CompactModel.load(file)  # safe for files of strangers, too

text = "Parse the header of a mail message and decode its subject."
(answer,) = served.predict([text])
print(f"{text!r} is about {answer}")
for word, share in served.explain(text)[answer][:3]:
    print(f"  {word}: {share:+.3f}")
