"""How accurate is a model of ten words, a hundred, a thousand?"""

from laconic import ReduceThenFit, curve, load_corpus, make_problem

corpus = load_corpus("pydocs")  # or: load_corpus("tickets.csv", text="body", label="queue")
problem = make_problem(corpus)  # with the corpus's train/test split and ltc weights
print(f"{len(corpus):,} documents, {len(problem.vocabulary):,} words to select from")

# Recursive feature elimination selects the words; logistic regression is trained on them.
method = ReduceThenFit()
result = curve(method, problem, [10, 100, 1000])
for size, accuracy in result.values("accuracy").items():
    print(f"{size:>5,} words: accuracy {accuracy:.3f}")
