"""s3:// addresses, against a server on this machine; needs s3fs and moto[s3,server]."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from laconic.corpus.loading import load_corpus
from laconic.corpus.readers import shards
from laconic.errors import CorpusError
from tests.corpus.readers.test_shards import OBJECTS, WRITERS, described, parts_of, whole

pytestmark = pytest.mark.slow
s3fs = pytest.importorskip("s3fs")
moto_server = pytest.importorskip("moto.server")


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    server = moto_server.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    s3fs.S3FileSystem.clear_instance_cache()
    system = s3fs.S3FileSystem()
    system.makedirs("mail-bucket", exist_ok=True)  # buckets outlive the server
    yield system
    s3fs.S3FileSystem.clear_instance_cache()
    server.stop()


@pytest.mark.parametrize("suffix", WRITERS)
def test_a_bucket_is_read_like_a_folder(
    tmp_path: Path, bucket: Any, suffix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, part in enumerate(parts_of(OBJECTS), 8):
        bucket.pipe(f"mail-bucket/{suffix}/mail/part-{number}.{suffix}", WRITERS[suffix](part))
    expected = described(whole(tmp_path))
    monkeypatch.setattr(shards, "WORTH_PROCESSES", 0)
    for where, n_jobs in (("mail", 1), (f"mail/part-*.{suffix}", 1), ("mail", 2)):
        corpus = load_corpus(f"s3://mail-bucket/{suffix}/{where}", n_jobs=n_jobs)
        assert described(corpus) == expected
        assert corpus.name == "mail"


def test_what_is_missing_in_a_bucket_is_named(bucket: Any) -> None:
    with pytest.raises(CorpusError, match=r"s3://mail-bucket/\*\.csv: no file matches"):
        load_corpus("s3://mail-bucket/*.csv")
    with pytest.raises(CorpusError, match=r"s3://mail-bucket/x\.csv: there is no such file"):
        load_corpus("s3://mail-bucket/x.csv")
