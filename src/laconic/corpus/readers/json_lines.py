"""JSON lines: one object per line, with or without labels."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from laconic.corpus.io.limits import Where
from laconic.errors import CorpusError


def read_objects(
    numbered: Iterable[tuple[int, str]], where: Where, example: str
) -> Iterator[tuple[int, dict[str, Any]]]:
    """The object of every line that is not blank; `example` is shown in errors."""
    for number, line in numbered:
        if not line.strip():
            continue
        try:
            document = json.loads(line)
        except json.JSONDecodeError as problem:
            message = f"is not JSON: {problem.msg} in column {problem.colno}"
        except (ValueError, RecursionError) as problem:
            message = f"is not readable JSON: {problem}"
        else:
            if isinstance(document, dict):
                yield number, document
                continue
            message = "is JSON, but not an object"
        array = " This looks like a JSON array: convert it with jq -c '.[]'."
        raise CorpusError(
            f"{message}. Write one object per line, such as {example}."
            + (array if line.lstrip().startswith("[") else ""),
            where=where,
            line=number,
        )
