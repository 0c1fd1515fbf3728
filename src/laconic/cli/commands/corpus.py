"""The command `corpus`: what is in a corpus."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import click

from laconic.cli.console import (
    counting_bar,
    print_catalog,
    print_summary,
)
from laconic.cli.options import (
    load,
    reading_options,
    text_options,
    values_of,
)
from laconic.text.options import TextOptions


@click.command()
@click.argument("where", nargs=-1, metavar="CORPUS...")
@click.option("--known", is_flag=True, help="List the corpora of the catalog.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per corpus.")
@reading_options
@text_options
def corpus(where: tuple[str, ...], known: bool, as_json: bool, **options: Any) -> None:
    """Describe a corpus: counts, classes, lengths, problems in the data.

    CORPUS is a file, a folder, a glob in quotes, an address such as s3://bucket/part-*.parquet, or
    a name of the catalog. A folder of CSV, JSONL or Parquet files, and a glob, are one corpus.

    \b
    laconic corpus tickets.csv --text body --label queue
    laconic corpus mail.jsonl.gz
    laconic corpus 'mail/part-*.parquet'
    laconic corpus 20news-bydate.tar.gz --encoding latin-1
    laconic corpus pydocs
    """
    if known:
        from laconic.corpus.catalog import known_corpora

        print_catalog(known_corpora())
        return
    if not where:
        raise click.UsageError("name a file, a folder or a corpus of the catalog (--known)")

    from laconic.text.problem import CountedCorpus
    from laconic.text.summary import CorpusSummary

    vectorizer = values_of(TextOptions, options).vectorizer()
    for name in where:
        loaded = load([name], options)
        with counting_bar(loaded) as progress:
            counted = CountedCorpus.of(loaded, vectorizer, progress=progress)
            summary = CorpusSummary.of(loaded, counted=counted)
        if as_json:
            click.echo(json.dumps(asdict(summary), ensure_ascii=False))
        else:
            print_summary(summary)
