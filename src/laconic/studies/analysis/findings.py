"""`Findings`: what follows from the rows of a study. Written and read by the same type."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, astuple, dataclass, field, fields
from os import PathLike
from pathlib import Path
from typing import Any, Self

from laconic.files import KEY, read_json, spelled_out
from laconic.row_files import write_table
from laconic.studies.analysis.candidates import Candidate
from laconic.studies.analysis.comparisons import Comparison, SelectionStability
from laconic.studies.analysis.recommendation import Recommendation
from laconic.studies.feature_choice import FeatureChoice
from laconic.studies.layout import FILES, ProblemFolder, StudyFolder, delete, write
from laconic.studies.options import LimitOptions


@dataclass(frozen=True)
class Findings:
    """What follows from the rows of a study.

    recommendations : one per problem
    per_method : one per problem and method, among the sizes of that method
    candidates : all methods at all sizes, by the study's metric
    comparisons : of methods, each at the size recommended for it
    stability : of the words that methods select in different folds
    failures : title of a task -> reason
    warnings : text -> number of tasks that gave it
    row_warnings : those that do not depend on the limits
    n_tasks : tasks of the plan
    state : what the findings were made from, apart from the limits; see `Study`
    limits : of the recommendations
    features : of each corpus of texts, unless the plan has its text options
    """

    recommendations: tuple[Recommendation, ...]
    per_method: tuple[Recommendation, ...]
    candidates: tuple[Candidate, ...] = ()
    comparisons: tuple[Comparison, ...] = ()
    stability: tuple[SelectionStability, ...] = ()
    failures: dict[str, str] = field(default_factory=dict)
    warnings: dict[str, int] = field(default_factory=dict)
    row_warnings: dict[str, int] = field(default_factory=dict)
    n_tasks: int = 0
    state: str = ""
    limits: LimitOptions = field(default_factory=LimitOptions)
    features: tuple[FeatureChoice, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The findings with their sentences, as JSON allows; "NaN" and "Infinity" are strings."""
        contents = asdict(self)
        for name in ("recommendations", "per_method"):
            contents[name] = [
                {"sentence": recommendation.sentence, **asdict(recommendation)}
                for recommendation in getattr(self, name)
            ]
        contents["features"] = [{"sentence": c.sentence, **asdict(c)} for c in self.features]
        return spelled_out(contents)

    def write(self, folder: StudyFolder) -> None:
        """Write everything as JSON, and comparisons and stability as CSV too."""
        text = json.dumps({KEY: "findings", **self.to_dict()}, indent=1, allow_nan=False)
        with write(folder.findings) as stream:
            stream.write(text.encode())
        _write_table(folder.comparisons, Comparison, self.comparisons)
        _write_table(folder.stability, SelectionStability, self.stability)

    def complete(self, folder: StudyFolder) -> bool:
        """Whether nothing failed, and the rows and every model that it names exist."""
        folders = [ProblemFolder(folder.path, r.folder) for r in self.recommendations]
        pairs = zip(self.recommendations, folders, strict=True)
        files = [f.words if r.model_file_error else f.model for r, f in pairs]
        files += [
            folder.path / row.model_file
            for recommendation in self.recommendations
            for row in recommendation.budget
            if row.model_file
        ]
        files.append(folder.rows)
        failed = self.failures or any(r.failure for r in self.recommendations)
        return not failed and all(file.exists() for file in files)

    @classmethod
    def read(cls, folder: StudyFolder | str | PathLike[str]) -> Self | None:
        """The findings in the folder of a study; None if the study is not finished."""
        of_study = folder if isinstance(folder, StudyFolder) else StudyFolder(Path(folder))
        return read_json(of_study.findings, cls)


def _write_table(
    file: Path, row: type[Comparison | SelectionStability], rows: Sequence[Any]
) -> None:
    delete(file)
    if rows:
        columns = [column.name for column in fields(row)]
        write_table(file, FILES[file.name], columns, map(astuple, rows))
