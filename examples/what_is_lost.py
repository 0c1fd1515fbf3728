"""Certified bounds when a model of 1,000 words replaces the full one. No labels are needed."""

from laconic import ReduceThenFit, RLSClassifier, TopTerms, certify, load_corpus, make_problem

problem = make_problem(load_corpus("pydocs"))
X, y = problem.X_train, problem.y_train

full = RLSClassifier(alpha=1.0).fit(X, y).model_
selector = TopTerms(by="ig")
small = ReduceThenFit(selector, RLSClassifier(alpha=1.0), size=1000).fit(X, y).model_

# The held-out documents must be like future ones, and unused in training and selection.
certificate = certify(full, small, X, held_out=problem.X_test, span_limit=0)
held_out = certificate.held_out
print(f"the models differ on {held_out.flips} of {problem.X_test.shape[0]} documents")
print(f"with 90 % confidence, on at most {held_out.flip_limit:.1%} of future documents")
print(f"and the next document loses at most {held_out.margin_bound:.3f} of its margin")
print(certificate.summary().splitlines()[0])
