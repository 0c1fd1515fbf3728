"""How good is a model of ten words, a hundred, a thousand?"""

from laconic import ReduceThenFit, RLSClassifier, TopTerms, curve, load_corpus, make_problem
from laconic.scores import information_gain

corpus = load_corpus("pydocs")  # or: load_corpus("tickets.csv", text="body", label="queue")
problem = make_problem(corpus)  # the corpus's own split; ltc weights
print(f"{len(corpus):,} documents, {len(problem.vocabulary):,} words to choose from")

# normalize="selected" makes closed models: they need no words but their own.
method = ReduceThenFit(
    TopTerms(by=information_gain), RLSClassifier(alpha=1.0), normalize="selected"
)
measured = curve(method, problem, [10, 100, 1000])
for size, accuracy in measured.values("accuracy").items():
    print(f"{size:>5,} words: accuracy {accuracy:.3f}")
