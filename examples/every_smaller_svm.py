"""One SVM and all smaller ones: the size is chosen on validation documents.

The chosen size is evaluated once on the held-out test set.
"""

from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split

from laconic import MaskedSVM, load_corpus, make_problems

CLASS = "scipy.stats"

problems = make_problems(load_corpus("pydocs"), target="one-vs-rest")
problem = next(problem for problem in problems if problem.classes[1] == CLASS)
X, X_validation, y, y_validation = train_test_split(
    problem.X_train, problem.y_train, test_size=0.25, stratify=problem.y_train, random_state=0
)

svm = MaskedSVM("mask").fit(X, y)
(auc,) = svm.every_size(X_validation, y_validation)  # auc[n - 1] is for n words
# The smallest size within 0.001 of the best: the best itself is often luck.
size = int((auc >= auc.max() - 0.001).argmax()) + 1
print(f"{auc.size:,} smaller SVMs; the best has AUC {auc.max():.4f} on validation documents")
print(f"{size:,} words are within 0.001 of it")

chosen = MaskedSVM("mask", size=size).fit(problem.X_train, problem.y_train)
full = MaskedSVM("mask").fit(problem.X_train, problem.y_train)
for name, svm in (("chosen", chosen), ("all words", full)):
    value = roc_auc_score(problem.y_test, svm.decision_function(problem.X_test))
    print(f"test AUC, {name} ({svm.model_.n_features:,} words): {value:.4f}")
