"""The quality frontier: the best small model of a study against those of other tools.

corpora.py                          the documents, folds and matrices of both sides
selections.py, classifiers.py       what the peers are made of
peers.py, ours.py                   the two sides: chosen on folds, tested once
model_bytes.py                      files of the peers' models
journal.py                          what was measured
choice.py                           what the folds prefer
judging.py, page.py                 differences on test documents, and the page about them
"""
