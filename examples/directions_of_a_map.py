"""LDA: documents on a few components that separate the classes, and the words that name them."""

from laconic import LDA, CentroidClassifier, ReduceThenFit, Vectorizer, load_corpus, make_problems
from laconic.corpus.splits import given_split
from laconic.studies.analysis.projection_map import Directions, document_title

corpus = load_corpus("pydocs")
(split,) = given_split(corpus)
problem = next(make_problems(corpus, [split], vectorizer=Vectorizer(stop_words="english")))

method = ReduceThenFit(LDA(), CentroidClassifier(), size=12)
method.fit(problem.X_train, problem.y_train)
accuracy = method.score(problem.X_test, problem.y_test)
print(f"12 components of LDA, nearest class mean: accuracy {accuracy:.3f}")

names = [document_title(corpus, document) for document in split.train]
directions = Directions.of(method.reduction_, problem, names)
# The same subspace, with the axes rotated until each has few words.
few_words = next(basis for basis in directions.bases if basis.name == "few words per direction")
for number, axis in enumerate(few_words.axes[:5], start=1):
    print(f"direction {number}: {', '.join(word for word, _ in axis.positive[:6])}")

print(f"{directions.documents[0]!r} is at {directions.coordinates[0][:3]}")
