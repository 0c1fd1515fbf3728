"""Writes docs/api: signatures and docstrings of the public names, one page a room. `make docs`.

Nothing on a page depends on the machine or on the day, so that a test can tell a stale one.
"""

from __future__ import annotations

import inspect
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import laconic

WHERE = Path(__file__).parent / "api"
# The flow, which is the order of the index.
ROOMS = (
    "corpus",
    "text",
    "scores",
    "reduction",
    "selectors",
    "projections",
    "classifiers",
    "model",
    "certificate",
    "compact",
    "curves",
    "studies",
    "testing",
    "errors",
)
# What the guide imports from a room itself, because it is rarely needed.
BESIDE = {
    "certificate": (
        "laconic.certificate.serving_interval",
        "laconic.certificate.parts.HeldOut",
        "laconic.certificate.parts.Changes",
        "laconic.certificate.parts.WorstCase",
        "laconic.certificate.parts.Suprema",
        "laconic.certificate.parts.SpanSuprema",
        "laconic.certificate.parts.NotComputed",
    ),
    "compact": ("laconic.compact.train",),
    "corpus": (
        "laconic.corpus.splits.Split",
        "laconic.corpus.splits.given_split",
        "laconic.corpus.splits.folds",
        "laconic.corpus.splits.random_splits",
    ),
    "text": (
        "laconic.text.options.TextOptions",
        "laconic.text.options.WeightingOptions",
    ),
    "curves": ("laconic.curves.Curve",),
    "studies": (
        "laconic.studies.options.Source",
        "laconic.studies.options.SplitOptions",
        "laconic.studies.options.SearchOptions",
        "laconic.studies.options.TrainingOptions",
        "laconic.studies.options.LimitOptions",
        "laconic.studies.execution.local.InProcess",
        "laconic.studies.execution.processes.Processes",
        "laconic.studies.analysis.findings.Findings",
        "laconic.studies.analysis.recommendation.Recommendation",
        "laconic.studies.analysis.recommendation.HeldOutResult",
        "laconic.studies.analysis.budget.BudgetRow",
        "laconic.studies.analysis.candidates.Candidate",
        "laconic.studies.analysis.projection_map.Directions",
    ),
    "errors": (
        "laconic.errors.LaconicError",
        "laconic.errors.CorpusError",
        "laconic.errors.SizeUnavailable",
        "laconic.errors.LaconicWarning",
    ),
}
WIDTH = 100
SECTION = re.compile(r"(\w[\w ]*)\n-{3,}")


@dataclass(frozen=True)
class Entry:
    """One public name: where it is imported from, and what it is."""

    home: str
    name: str
    what: Any


def pages() -> dict[str, str]:
    """File name -> text, of every page."""
    rooms = {room: list(entries(room)) for room in ROOMS}
    written = {f"{room}.md": page(room, several) for room, several in rooms.items()}
    return {"README.md": index(rooms), **written}


def entries(room: str) -> Iterator[Entry]:
    """The public names of a room: of `laconic`, of the room if it is public, and beside them."""
    for name in laconic.__all__:
        what = getattr(laconic, name)
        if isinstance(what, ModuleType):
            if name == room:
                own = (Entry(what.__name__, one, getattr(what, one)) for one in what.__all__)
                yield from (entry for entry in own if not isinstance(entry.what, dict))
        elif what.__module__.split(".")[1] == room:
            yield Entry("laconic", name, what)
    for dotted in BESIDE.get(room, ()):
        home, _, name = dotted.rpartition(".")
        yield Entry(home, name, getattr(import_module(home), name))


def index(rooms: dict[str, list[Entry]]) -> str:
    lines = [
        "# Interface",
        "",
        "Made from the docstrings by `make docs`; the [guide](../guide.md) says what to take when.",
        "",
        "| room | names |",
        "|---|---|",
    ]
    for room, several in rooms.items():
        links = (f"[`{name}`]({room}.md#{anchor})" for name, anchor in anchors(several))
        lines.append(f"| [{room}]({room}.md) | {', '.join(links)} |")
    return "\n".join(lines) + "\n"


def anchors(several: list[Entry]) -> Iterator[tuple[str, str]]:
    """Each name with its place on the page; a second `curve` is `curve-1`, as forges have it."""
    seen: Counter[str] = Counter()
    for one in several:
        place = one.name.lower()
        yield one.name, f"{place}-{seen[place]}" if seen[place] else place
        seen[place] += 1


def page(room: str, several: list[Entry]) -> str:
    about = markdown(inspect.getdoc(import_module(f"laconic.{room}")) or "")
    parts = [f"# {room}", about, *(part for one in several for part in told(one))]
    return "\n\n".join(part for part in parts if part) + "\n"


def told(entry: Entry) -> Iterator[str]:
    """The parts of one name: heading, how to import and call it, docstring, members."""
    yield f"## {entry.name}"
    if isinstance(entry.what, ModuleType):
        yield f"```text\n{inspect.getdoc(entry.what)}\n```"
        return
    call = () if inherits_call(entry.what) else ("", called(entry.name, entry.what))
    yield code(f"from {entry.home} import {entry.name}", *call)
    yield markdown(inspect.getdoc(entry.what) or "")
    if inspect.isclass(entry.what):
        for name, member in members(entry.what):
            yield from told_member(entry.what, name, member)


def inherits_call(what: Any) -> bool:
    """Whether it is an exception that is made as every exception is."""
    own = inspect.isclass(what) and issubclass(what, Exception)
    return own and what.__init__ in (ValueError.__init__, UserWarning.__init__)


def told_member(of: type, name: str, member: Any) -> Iterator[str]:
    doc = inspect.getdoc(member) or inspect.getdoc(getattr(of, name)) or ""
    if inspect.isfunction(member):
        yield f"### {of.__name__}.{name}"
        yield code(called(name, member, bound=True))
        yield markdown(doc)
    elif doc:
        yield f"### {of.__name__}.{name}"
        yield markdown(doc)


def members(of: type) -> Iterator[tuple[str, Any]]:
    """Public methods and properties that Laconic wrote, a class's own before inherited ones."""
    seen: set[str] = set()
    for cls in of.__mro__:
        if not cls.__module__.startswith("laconic"):
            continue
        for name, member in vars(cls).items():
            if name.startswith("_") or name in seen:
                continue
            seen.add(name)
            if (found := plain(member)) is not None:
                yield name, found


def plain(member: Any) -> Any:
    """The function of a method, or the property; None for what is neither."""
    if isinstance(member, classmethod):
        return member.__func__
    # scikit-learn's available_if keeps the method in `fn`
    inner = getattr(member, "fn", member)
    return inner if inspect.isfunction(inner) or isinstance(inner, property) else None


def called(name: str, what: Any, *, bound: bool = False) -> str:
    """How it is called, in one line or one line a parameter."""
    signature = inspect.signature(what)
    given = [*signature.parameters.values()][1 if bound else 0 :]
    arguments = list(spelled(given))
    result = "" if inspect.isclass(what) else returned(signature)
    line = f"{name}({', '.join(arguments)}){result}"
    if len(line) <= WIDTH:
        return line
    return "\n".join([f"{name}(", *(f"    {one}," for one in arguments), f"){result}"])


def spelled(parameters: list[inspect.Parameter]) -> Iterator[str]:
    star = False
    for one in parameters:
        if one.kind is one.KEYWORD_ONLY and not star:
            yield "*"
        star = star or one.kind in (one.KEYWORD_ONLY, one.VAR_POSITIONAL)
        mark = {one.VAR_POSITIONAL: "*", one.VAR_KEYWORD: "**"}.get(one.kind, "")
        typed = "" if one.annotation is one.empty else f": {annotated(one.annotation)}"
        equals = " = " if typed else "="
        default = "" if one.default is one.empty else f"{equals}{shown(one.default)}"
        yield f"{mark}{one.name}{typed}{default}"


def shown(default: Any) -> str:
    """A default as one would write it; never an address in memory."""
    if inspect.isfunction(default):
        return default.__name__
    text = repr(default)
    return "..." if text.startswith("<") else text


def returned(signature: inspect.Signature) -> str:
    if signature.return_annotation in (signature.empty, "None", None):
        return ""
    return f" -> {annotated(signature.return_annotation)}"


def annotated(annotation: Any) -> str:
    return annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)


def code(*lines: str) -> str:
    return "\n".join(["```python", *lines, "```"])


def markdown(doc: str) -> str:
    """A docstring's prose as it is; of its sections, a heading and a list."""
    prose, *sections = SECTION.split(doc)
    parts = [escaped(prose.strip())]
    for title, body in zip(sections[::2], sections[1::2], strict=True):
        listed, rest = divided(body.strip("\n"))
        parts += [f"**{title}**", "\n".join(items(listed)), escaped(rest)]
    return "\n\n".join(part for part in parts if part)


def divided(body: str) -> tuple[str, str]:
    """The list of a section, and prose after a blank line that belongs to no entry."""
    blocks = body.split("\n\n")
    for at, block in enumerate(blocks[1:], start=1):
        if not block.startswith(" ") and " : " not in block.splitlines()[0]:
            return "\n\n".join(blocks[:at]), "\n\n".join(blocks[at:])
    return body, ""


def items(body: str) -> Iterator[str]:
    """`name : kind` becomes an entry of a list, indented lines what is said of it."""
    lines = [line for line in body.splitlines() if line.strip()]
    for line, after in zip(lines, [*lines[1:], ""], strict=True):
        if line.startswith(" "):
            yield f"  {escaped(line.strip())}"
            continue
        name, colon, kind = line.partition(" : ")
        # a backslash at the end of a line breaks it; before a list inside it would be shown
        breaks = "\\" if after.startswith(" ") and not after.lstrip().startswith("- ") else ""
        yield f"- `{name.strip()}`" + (f": {escaped(kind)}" if colon else "") + breaks


def escaped(text: str) -> str:
    """ "Less than" is no tag; code and indented examples stay as they are."""
    pieces = re.split(r"(`[^`]*`|^    .*$)", text, flags=re.MULTILINE)
    pieces[::2] = [piece.replace("<", r"\<") for piece in pieces[::2]]
    return "".join(pieces)


def main() -> None:
    WHERE.mkdir(exist_ok=True)
    made = pages()
    for old in WHERE.glob("*.md"):
        if old.name not in made:
            old.unlink()
    for name, text in made.items():
        (WHERE / name).write_text(text, encoding="utf-8")
    print(f"{len(made)} pages in {WHERE}")


if __name__ == "__main__":
    main()
