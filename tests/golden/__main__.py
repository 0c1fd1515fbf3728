"""`python -m tests.golden` writes the golden curves again."""

from __future__ import annotations

import sys

from tests.golden.curves import write_all

if __name__ == "__main__":
    sys.exit("\n".join(write_all()) or None)
