"""Which method, and how many words? A study compares by cross-validation, and tests once."""

from tempfile import TemporaryDirectory

from laconic import Plan, Study
from laconic.study.settings import Splitting, Vectorizing

plan = Plan(
    "pydocs",
    methods=("ALL", "IG", "WEIGHTS[then=svm]"),
    sizes=(50, 200, 1000),
    split=Splitting(folds=3),
    vectors=Vectorizing(stem="porter", stop_words="english"),
)

with TemporaryDirectory() as folder:  # a real study has a folder that stays: it can go on there
    findings = Study(plan, folder).run()

for found in findings.candidates:
    print(f"{found.name}: {found.mean:.3f} ± {found.se:.3f}")
for found in findings.recommendations:
    print(found.sentence)
