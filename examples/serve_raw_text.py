"""One small file that classifies raw text and explains which words decided."""

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
    loaded = CompactModel.load(file)  # also safe for untrusted files

text = "Parse the header of a mail message and decode its subject."
(prediction,) = loaded.predict([text])
print(f"{text!r} is about {prediction}")
for word, contribution in loaded.explain(text)[prediction][:3]:
    print(f"  {word}: {contribution:+.3f}")
