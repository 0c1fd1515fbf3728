"""One small file that classifies raw text, with a probability and the words that decided."""

from pathlib import Path
from tempfile import TemporaryDirectory

from laconic import CompactModel, ReduceThenFit, TopTerms, Vectorizer, load_corpus
from laconic.compact import train

corpus = load_corpus("pydocs")
method = ReduceThenFit(TopTerms(by="ig"))  # information gain, then logistic regression
model = train(method, corpus, 500, vectorizer=Vectorizer(stem="porter"))

with TemporaryDirectory() as folder:
    file = Path(folder) / "pydocs.laconic"
    model.save(file)
    print(f"{model.n_words} words, {len(model.classes)} classes, {file.stat().st_size:,} bytes")
    loaded = CompactModel.load(file)  # also safe for untrusted files

text = "Parse the header of a mail message and decode its subject."
(prediction,) = loaded.predict([text])
print(f"{text!r} is about {prediction}")
# From the training documents, so often too high; the models of a study are calibrated better.
print(f"  probability {loaded.predict_proba([text]).max():.1%}")
for word, contribution in loaded.explain(text)[prediction][:3]:
    print(f"  {word}: {contribution:+.3f}")
