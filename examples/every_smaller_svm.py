"""One SVM, and all smaller ones that leave words out: the size is chosen on validation documents.

The test documents are asked once, about the size that was chosen without them.
"""

from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split

from laconic import MaskedSVM, load_corpus, make_problems

CLASS = "scipy.stats"

problems = make_problems(load_corpus("pydocs"), target="one-vs-rest")
problem = next(one for one in problems if one.classes[1] == CLASS)
X, X_validation, y, y_validation = train_test_split(
    problem.X_train, problem.y_train, test_size=0.25, stratify=problem.y_train, random_state=0
)

svm = MaskedSVM("mask").fit(X, y)
(auc,) = svm.every_size(X_validation, y_validation)  # auc[n - 1] is that of n words
# The fewest words that come within 0.001 of the best: the best itself is often luck.
size = int((auc >= auc.max() - 0.001).argmax()) + 1
print(f"{auc.size:,} smaller machines; the best has AUC {auc.max():.4f} on validation documents")
print(f"{size:,} words come within 0.001 of it")

chosen = MaskedSVM("mask", size=size).fit(problem.X_train, problem.y_train)
whole = MaskedSVM("mask").fit(problem.X_train, problem.y_train)
for name, machine in (("chosen", chosen), ("all words", whole)):
    value = roc_auc_score(problem.y_test, machine.decision_function(problem.X_test))
    print(f"test AUC, {name} ({machine.model_.n_features:,} words): {value:.4f}")
