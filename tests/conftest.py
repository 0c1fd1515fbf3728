"""Fixtures, and two rules of our CI: a required corpus must be there; hypothesis is derandomized.

`LACONIC_DATA` says where the corpora are. `LACONIC_REQUIRE=data,browser` turns a skip for want of
them into a failure, so that CI cannot pass by looking away.
"""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "ci",
    derandomize=True,
    deadline=None,
    max_examples=50,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("explore", deadline=None)
settings.register_profile("fast", settings.get_profile("ci"), max_examples=10)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--fast", action="store_true", help="one case per test, none marked `full`")


def pytest_configure(config: pytest.Config) -> None:
    explore = os.environ.get("LACONIC_EXPLORE")
    settings.load_profile("explore" if explore else "fast" if config.option.fast else "ci")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """`--fast` selects the first case of a test, unless it needs a corpus, a browser or `full`."""
    if config.option.fast:
        cases: dict[str, pytest.Item] = {}
        for item in items:
            fixtures = getattr(item, "fixturenames", ())
            if not item.get_closest_marker("full") and not {"corpora", "chromium"} & {*fixtures}:
                cases.setdefault(item.nodeid.partition("[")[0], item)
        config.hook.pytest_deselected(items=[*{*items} - {*cases.values()}])
        items[:] = cases.values()


# A shell that runs tests in the background has them ignore Ctrl-C; what they start must not.
if threading.current_thread() is threading.main_thread():
    signal.signal(signal.SIGINT, signal.default_int_handler)


def missing(what: str, reason: str) -> None:
    """Skip for want of `what` ("data", "browser"), or fail where it is required."""
    if what in os.environ.get("LACONIC_REQUIRE", "").split(","):
        pytest.fail(f"LACONIC_REQUIRE asks for {what}, but {reason}")
    pytest.skip(reason)


@pytest.fixture(scope="session")
def corpora() -> Path:
    """The folder of the real corpora."""
    where = os.environ.get("LACONIC_DATA")
    if not where:
        missing("data", "LACONIC_DATA is not set: it names the folder of the corpora")
    folder = Path(where)
    if not folder.is_dir():
        missing("data", f"LACONIC_DATA is {where}, which is not a folder")
    return folder


@pytest.fixture(scope="session", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Tests share one cache of the embedded corpus, apart from the user's own."""
    if "LACONIC_CACHE" not in os.environ:
        os.environ["LACONIC_CACHE"] = str(tmp_path_factory.getbasetemp().parent / "laconic-cache")
