"""A study on a cluster whose client is killed; `python -m tests.cluster.killed_study`.

Arguments: address, folder of shards, folder of the study, and the number of the event at which the
client ends itself at once; 0 for none. Prints the number of events.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from laconic.cluster import connected
from laconic.corpus import stored_texts
from laconic.corpus.readers import shards as shard_reading
from laconic.studies.execution.dask import DaskExecutor
from laconic.text import blocks
from tests.cluster.small import small_study


def main() -> None:
    address, shards, where, last = sys.argv[1:]
    # small texts are treated as large ones
    stored_texts.TEXT_IN_MEMORY, blocks.BLOCK_CHARACTERS = 1000, 3000
    shard_reading.WORTH_PROCESSES = 0
    n_events = 0

    def listen(event: object) -> None:
        nonlocal n_events
        n_events += 1
        if n_events == int(last):
            os.kill(os.getpid(), signal.SIGKILL)

    with connected(address) as client:
        study = small_study(Path(shards), Path(where))
        study.run(DaskExecutor(client, Path(where).parent), listen=listen)
    print(n_events)


if __name__ == "__main__":
    main()
