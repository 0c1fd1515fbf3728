"""The fixed texts of the page."""

from __future__ import annotations

TITLE = """# The quality frontier

Quality against the number of words and the bytes of the model, for what a study of Laconic
recommends and for the usual alternatives, on the same documents, folds and vectors.

This page is written by `make frontier`. Do not edit it.
"""
RULES = """## Rules

They were fixed before the methods of this version were measured here.

- **Corpora.** 20 Newsgroups by date, Reuters-21578 (ModApte, the 90 topics that are in both parts),
  ohscal, RCV1 (the LIBSVM subsets without repeated vectors; a stratified sample of 3,000 training
  documents, all test documents), the documentation of Python packages (pydocs), la1s, SMS spam,
  fbis, and Enron. The corpus's own test documents, else a random fifth.
- **Vectors.** Words, in ltc weights; RCV1 comes weighted. Both sides have the same matrices. Words
  and idf are those of the training documents of a fold.
- **Folds.** The three folds of a study. Each metric has its own choice, by the mean over the folds.
  The model is then trained on all training documents, and tested once.
- **Ours.** A study with its default methods, asked for sizes of 10, 30, 100, 300, 1,000 and 3,000
  words where the corpus has so many in each fold; the model that it recommends within the limit.
  Predictions are those of the model file, read again.
- **Peers.** Selections: chi2; recursive elimination with LinearSVC (C = 1), a quarter of the
  remaining words per step; L1 logistic regression, the heaviest words of the smallest C with enough
  of them (C grows by √2); abess (best subsets by splicing, at most 300 of the 2,000 best words by
  chi2, because larger ones take minutes; multinomial for classes, for labels one linear model of
  all of them). Each is followed by LinearSVC and by LogisticRegression (multinomial; for labels one
  per label), at most {max_iter} iterations. C has the five values 1/(2 alpha) of the alphas that a
  study tries; classes are balanced or not where the metric is f1_macro; documents are divided by
  their length over the selected words, as ours are, or over all words (not for Reuters and RCV1,
  to save time). {settings}
- **Thresholds.** Labels of the peers are decided at 0, and in a second comparison by the thresholds
  of a study (common or separate, from the decisions in the folds, where clearly better).
- **Bytes.** Ours: the file of the study. Peers: `joblib.dump(compress=3)` of the words with their
  idf (of all words, if documents are divided by that length) and of the classifier; and int8
  coefficients with a scale per class, float32 idf and compressed words. The best on the folds whose
  file fits; the test is of the model as it is in the file. All words are a candidate of the peers
  too, if their int8 coefficients fit in a megabyte.
- **Verdict.** Per cell a paired bootstrap over documents ({draws:,} draws): p is two-sided, from
  the bootstrap's standard error, because Holm's correction over all cells needs p-values below
  1/{draws:,}. Per budget one difference per corpus, the mean of its two metrics: t interval over
  corpora, and percentiles of resampled corpora.
- **What was seen before.** The first edition of this page and the prototypes of the methods used
  the test documents of all corpora but fbis and Enron. The peers, and the defaults of Laconic
  before these methods, were measured first, and their difference was known, fbis and Enron
  included; so was that of the new defaults on pydocs, before some of them were final. That Reuters
  and RCV1 have one length was decided, for time, when five smaller corpora had been seen, and these
  two had not. In a third of the cells of the other seven, the
  C of the best peer is the largest of the five: a wider grid might help them.
"""
