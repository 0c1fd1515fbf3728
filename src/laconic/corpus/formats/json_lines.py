"""JSON lines, an object each, of labelled documents or of others."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from laconic.corpus.formats.guarding import Where
from laconic.errors import CorpusError


def objects(
    numbered: Iterable[tuple[int, str]], where: Where, example: str
) -> Iterator[tuple[int, dict[str, Any]]]:
    """The object of every line that is not blank; `example` tells what was expected."""
    for number, line in numbered:
        if not line.strip():
            continue
        try:
            document = json.loads(line)
        except json.JSONDecodeError as problem:
            found = f"is not JSON: {problem.msg} in column {problem.colno}"
        except (ValueError, RecursionError) as problem:
            found = f"is not JSON that can be read: {problem}"
        else:
            if isinstance(document, dict):
                yield number, document
                continue
            found = "is JSON, but no object"
        array = " This looks like a JSON array: jq -c '.[]' makes lines of it."
        raise CorpusError(
            f"{found}. Write an object a line, such as {example}."
            + (array if line.lstrip().startswith("[") else ""),
            where=where,
            line=number,
        )
