"""SVM-LARS: the words of each class, each selected given those before it."""

from laconic import LarsClassifier, Vectorizer, load_corpus, make_problems

SIZE = 8  # words per class

problem = next(make_problems(load_corpus("pydocs"), vectorizer=Vectorizer(stop_words="english")))
classifier = LarsClassifier("squared_hinge", size=SIZE, normalize="selected")
classifier.fit(problem.X_train, problem.y_train)

for name, terms in zip(problem.classes, classifier.order_, strict=True):
    print(f"{name}: {', '.join(problem.vocabulary[terms])}")

model = classifier.model_
print(f"{SIZE} words per class are {model.n_features} words in all")
print(f"accuracy {classifier.score(problem.X_test, problem.y_test):.3f}")
