"""`StudyFolder`: the one place that knows the files of a study."""

import re
from pathlib import Path

import pytest

import laconic
import reproduction
from laconic import Plan, Study
from laconic.cli.commands.report import draw
from laconic.errors import LaconicError
from laconic.report.build import view_of
from laconic.report.charts import all_charts
from laconic.report.page import page
from laconic.studies import layout
from laconic.studies.layout import FILES, PROBLEM_FILES, StudyFolder, delete, write
from laconic.studies.options import SplitOptions
from tests.studies.corpora import pets

SOURCE, PAPERS = (Path(package.__file__).parent for package in (laconic, reproduction))
NAMES = {*FILES, layout.REPORT}
# Names that are also those of files which are not a study's, or are shown as examples.
ELSEWHERE = {
    "cli/commands/report.py": {"report.html"},  # help text: layout is imported when a command runs
    "cli/commands/select.py": {"words.csv"},  # an example of -o
    "cli/commands/train.py": {"model.laconic"},  # the default of `laconic train`
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    where = tmp_path_factory.mktemp("layout")
    plan = Plan(
        pets(150),
        methods=("ALL", "IG", "LDA"),
        sizes=(9, 18),
        split=SplitOptions(cv=3),
        target="one-vs-rest",
        features="words",
    )
    Study(plan, where).run()
    draw(where)
    return StudyFolder(where)


@pytest.mark.full
def test_every_file_of_a_study_is_known(folder):
    files = {file for file in folder.path.rglob("*") if file.is_file()}
    problems = {folder.problem(f"pets: {name}", 3) for name in ("cats", "dogs", "fish")}
    known = {folder.path / name for name in NAMES}
    known |= {problem.path / name for problem in problems for name in PROBLEM_FILES}
    known |= {
        folder.figure(name, kind)
        for name in all_charts(view_of(folder.path))
        for kind in layout.FIGURE_FILES
    }
    assert files <= known
    for problem in problems:
        assert {problem.model, problem.words, problem.certificate, problem.directions} <= files
    assert folder.listing() == sorted(
        {*(file.relative_to(folder.path).parts[0] for file in files)} - {layout.LOCK}
    )


@pytest.mark.full
def test_b1_the_page_names_files_that_exist(folder):
    """The page of several problems named folders without their hash."""
    text = page(view_of(folder.path))
    named = re.findall(r"<code>([^<]*words\.csv)</code>", text)
    assert len(named) == 3
    assert all((folder.path / name).is_file() for name in named)


@pytest.mark.full
def test_b3_charts_have_the_same_names_on_the_page_and_as_files(folder):
    """The page counted confusion matrices from 0, the files from 2."""
    on_page = set(re.findall(r'data-chart="([^"]+)"', page(view_of(folder.path))))
    assert {"confusion", "confusion-2", "confusion-3"} <= on_page
    assert on_page == {file.stem for file in folder.figures.iterdir()}


def test_one_problem_is_in_the_folder_of_the_study(tmp_path):
    folder = StudyFolder(tmp_path)
    assert folder.problem("C++", 1).path == tmp_path
    first, second = folder.problem("C++", 2), folder.problem("C#", 2)
    assert first.path.parent == second.path.parent == tmp_path / layout.PROBLEMS
    assert first.path != second.path
    assert first.path == tmp_path / first.name


def test_only_files_that_a_study_wrote_are_deleted_or_replaced(tmp_path):
    folder = StudyFolder(tmp_path)
    folder.rows.write_text("problem,method,size,avFmin\n")
    with pytest.raises(LaconicError, match="not a file of rows written by this version of Laconic"):
        delete(folder.rows)
    with pytest.raises(LaconicError, match="not a file of rows"), write(folder.rows):
        pass
    with pytest.raises(LaconicError, match="not a file of rows"):
        folder.check(())
    assert folder.rows.read_text() == "problem,method,size,avFmin\n"


@pytest.mark.parametrize(
    ("folder", "file"),
    [(top, file) for top in (SOURCE, PAPERS) for file in sorted(top.rglob("*.py"))],
    ids=lambda path: path.name,
)
def test_no_other_module_spells_the_name_of_a_file(folder, file):
    name = str(file.relative_to(folder))
    if name == "studies/layout.py":
        return
    code = re.sub(r'"""(?:.|\n)*?"""', "", file.read_text(encoding="utf-8"))
    spelled = {name for name in NAMES if re.search(rf"""["'/]{re.escape(name)}["']""", code)}
    assert spelled <= ELSEWHERE.get(name, set())
