"""Which method, and how many words? A study compares by cross-validation and tests once."""

from tempfile import TemporaryDirectory

from laconic import Plan, Study
from laconic.studies.options import SplitOptions
from laconic.text.options import TextOptions

plan = Plan(
    "pydocs",
    methods=("ALL", "JOINT", "RFE+svm"),  # JOINT tunes classifier and alpha, RFE+svm only alpha
    sizes=(50, 200, 1000),
    split=SplitOptions(cv=3),
    text=TextOptions(stem="porter", stop_words="english"),
)

with TemporaryDirectory() as folder:  # use a permanent folder to be able to resume a study
    findings = Study(plan, folder).run()

for candidate in findings.candidates:
    print(f"{candidate.description}: {candidate.mean:.3f} ± {candidate.se:.3f}")
for recommendation in findings.recommendations:
    print(recommendation.sentence)
    for row in recommendation.budget:
        print(f"give up at most {row.loss:.1%}: {row.candidate.description}")
