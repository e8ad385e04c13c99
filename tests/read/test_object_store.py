"""Tables in object stores, on a server of S3 that the tests start on this machine."""

from __future__ import annotations

import io
import os
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import polars as pl
import pytest

import steelyard as sy
from steelyard import read
from steelyard.read.remote import Remote, remote_of
from steelyard.read.sources import open_sources
from steelyard.read.table import PLACE
from steelyard.text.errors import SteelyardError
from tests.read.test_folders import LOG
from tests.read.test_scans import check_scan
from tests.tables import each_row

SECRET = "the-secret-of-the-store"


@pytest.fixture(scope="module")
def server():
    moto = pytest.importorskip("moto.server")
    server = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture(scope="module")
def bucket(server):
    boto3 = pytest.importorskip("boto3")
    access = {"aws_access_key_id": "testing", "aws_secret_access_key": SECRET, "region_name": "us-east-1"}
    client = boto3.client("s3", endpoint_url=server, **access)
    client.create_bucket(Bucket="logs")

    def put(key, data):
        client.put_object(Bucket="logs", Key=key, Body=data)

    for day in ("2026-11-01", "2026-11-02"):
        put(f"hive/dt={day}/n=01/part-0.parquet", written(LOG.with_columns(query=pl.lit(day))))
    put("log.parquet", written(LOG))
    put("log.arrow", written(LOG, "write_ipc"))
    put("log.jsonl", LOG.write_ndjson().encode())
    put("log.csv", b"query,item,score,label\n1, a,0.5,0\n\n1, b,0.25,1\n")
    put("score=1/log.parquet", written(LOG))
    put("seen.csv", b"query,item\n1,z\n")
    put("damaged.parquet", b"PAR1 no parquet PAR1")
    put("readme.txt", b"text")
    return "s3://logs"


def written(frame, how="write_parquet"):
    file = io.BytesIO()
    getattr(frame, how)(file)
    return file.getvalue()


@pytest.fixture
def store(bucket, server, monkeypatch):
    environment(monkeypatch, server)
    return bucket


def environment(monkeypatch, endpoint, secret=SECRET):
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", secret)
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    monkeypatch.setenv("AWS_ENDPOINT_URL", endpoint)
    monkeypatch.setenv("AWS_ALLOW_HTTP", "true")


@pytest.mark.parametrize("name", ["log.parquet", "log.arrow", "log.jsonl", "log.csv", "*.parquet"])
def test_every_format(store, name):
    if name == "*.parquet":
        name = "score=*/*.parquet"
        with pytest.raises(SteelyardError, match="has a column 'score', and its folder is named score="):
            open_sources(f"{store}/{name}", "labelled", "predictions")
        name = "log*.parquet"
    url = f"{store}/{name}"
    assert sy.evaluate(url, metrics="auc")["auc"] == 0
    shown, (source,) = open_sources(url, "labelled", "predictions")
    assert shown == source.name == url
    check_scan(source)
    assert source.slow is name.endswith(("csv", "jsonl"))
    assert source.peek(["item"], 1)["item"].str.strip_chars().to_list() == ["a"]
    assert (
        sy.evaluate(url, metrics="auc", where="label = '1'" if name.endswith("csv") else "label = 1")
        is not None
    )


@pytest.mark.parametrize("pattern", ["hive/", "hive/dt=*/n=01/*.parquet", "hive/**/*.parquet"])
def test_folders_and_patterns(store, pattern):
    url = f"{store}/{pattern}"
    table = read.labelled(url, extra=["dt"])
    assert table.extra["dt"].unique(maintain_order=True).to_list() == ["2026-11-01", "2026-11-02"]
    assert table.place(3) == f"{url}, row 4"
    _, (source,) = open_sources(url, "labelled", "predictions")
    assert source.columns == (*LOG.columns, "dt", "n")
    assert source.numbered().select("n", PLACE).collect().rows() == [("01", row) for row in range(1, 5)]
    result = sy.evaluate(url, metrics="auc", where="dt > '2026-11-01'", by="dt")
    assert result.table()["dt"].to_list() == ["(all)", "2026-11-02"]


def test_options_of_a_store(bucket, server, monkeypatch):
    environment(monkeypatch, "http://127.0.0.1:1")
    options = {"aws_endpoint_url": server}
    truth = {"1": {"b": 1}}
    url = f"{bucket}/log.parquet"
    given = {"columns": {"score": "score"}, "storage_options": options}
    assert sy.evaluate(url, truth, "mrr", **given)["mrr"] == 0.5
    assert sy.evaluate([url], truth, "mrr", **given)["mrr"] == 0.5
    assert sy.evaluate(LOG.drop("label"), url, "mrr", **given)["mrr"] == 0.5
    assert sy.check(LOG.drop("label"), url, min={"mrr": 0.5}, **given)
    assert sy.compare({"one": url, "other": LOG}, truth, "mrr", **given).results["one"]["mrr"] == 0.5
    part = sy.partial(url, truth, "mrr", exclude=f"{bucket}/seen.csv", **given)
    assert sy.merge([part])["mrr"] == 0.5
    with pytest.raises(SteelyardError, match="storage_options must be a mapping of text to text; got 'list'"):
        sy.evaluate(url, truth, "mrr", storage_options=["x"])


@each_row(
    ("url", "message"),
    [
        ("s3://logs/absent.parquet", "s3://logs/absent.parquet does not exist\ncheck the name"),
        ("s3://logs/absent.csv", "s3://logs/absent.csv does not exist"),
        ("s3://logs/absent/", "s3://logs/absent/ does not exist"),
        ("s3://logs/absent-*.parquet", "s3://logs/absent-\\*.parquet does not exist"),
        ("s3://nowhere/log.parquet", "the bucket of s3://nowhere/log.parquet does not exist"),
        ("s3://nowhere/*.parquet", "the bucket of s3://nowhere/\\*.parquet does not exist"),
        ("s3://logs/damaged.parquet", "s3://logs/damaged.parquet cannot be read: parquet"),
        ("s3://logs/readme.txt", "the ending of s3://logs/readme.txt names no format"),
        ("s3://logs/log", "the ending of s3://logs/log names no format"),
        ("nosuch://logs/log.parquet", "nosuch://logs/log.parquet is not a file on this machine"),
    ],
)
def test_what_a_store_does_not_have(store, url, message):
    with pytest.raises(SteelyardError, match=message) as caught:
        sy.evaluate(url, metrics="auc")
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize(
    ("status", "body", "message"),
    [
        (403, "<Code>AccessDenied</Code>", "refused access: its credentials are missing, wrong or expired"),
        (
            400,
            "<Code>ExpiredToken</Code><Message>The provided token has expired.</Message>",
            "refused access",
        ),
        (401, "", "refused access"),
        (418, f"<Code>{SECRET}</Code>", "cannot be read: the store refused it"),
    ],
)
@pytest.mark.parametrize("name", ["log.parquet", "tokens/log.csv"])
def test_a_store_that_refuses(monkeypatch, status, body, message, name):
    class Refusing(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(status)
            self.end_headers()
            self.wfile.write(body.encode())

        do_HEAD = do_GET

        def log_message(self, *given):
            pass

    server = HTTPServer(("127.0.0.1", 0), Refusing)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    url = f"s3://status-{status}-{name[-3:]}/{name}"  # Polars keeps what it knows of a bucket
    try:
        environment(monkeypatch, f"http://127.0.0.1:{server.server_port}")
        with pytest.raises(SteelyardError, match=f"{url} {message}") as caught:
            sy.evaluate(url, metrics="auc", storage_options={"max_retries": "0"})
        assert SECRET not in str(caught.value)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_no_network(monkeypatch):
    environment(monkeypatch, "http://127.0.0.1:1")
    with pytest.raises(SteelyardError, match="the store of s3://far-away/log.parquet cannot be reached"):
        sy.evaluate("s3://far-away/log.parquet", metrics="auc", storage_options={"max_retries": "0"})


def test_an_object_that_is_gone_after_it_was_opened(store, server, monkeypatch):
    _, (source,) = open_sources(f"{store}/log.parquet", "labelled", "predictions")
    environment(monkeypatch, "http://127.0.0.1:1")
    gone = Remote("s3://logs/log.parquet")
    with pytest.raises(SteelyardError, match="s3://logs/log.parquet does not exist"), gone.reached():
        raise FileNotFoundError
    assert source.load(["item"]).height == 2


def test_names_without_secrets(tmp_path):
    signed = remote_of("https://user:word@host/log.parquet?signature=abc")
    assert signed.name == "https://host/log.parquet"
    assert "word" not in repr(remote_of("s3://b/x.csv", {"aws_secret_access_key": "word"}))
    assert remote_of(tmp_path) is None
    assert remote_of(LOG) is None
    assert remote_of(Path("s3://bucket/log.parquet")).url == "s3://bucket/log.parquet"
