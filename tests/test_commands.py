"""Every command that is shown anywhere is one that runs, as it stands there.

Those in a ``console`` block of the documentation tools/docs.py runs, and puts what they print beside them.
All others are run here: in lines and in backticks, of the pages, of the help texts, of the docstrings and of
the demonstration. A command that reads a file wants that file in ``FILES`` or ``TABLES``.
"""

from __future__ import annotations

import ast
import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

import steelyard as sy
from steelyard.cli.main import steelyard as program
from steelyard.demo import write
from steelyard.demo.shop import simulate

from .read.test_object_store import SECRET, environment, written

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / name for name in ("README.md", "README.zh-CN.md", "CONTRIBUTING.md", "bench/README.md")]
PAGES += sorted((ROOT / "docs").rglob("*.md"))
SOURCES = sorted((ROOT / "src").rglob("*.py"))

# what a capital word of a help text stands for
STANDS_FOR = {"RUN": "run.parquet", "QRELS": "qrels.txt", "LOG": "clicks.parquet"}
# a name alone is the name of the command, which wants more than that to run
WANTS_MORE = ("evaluate", "compare", "check", "which", "differences", "explain", "partial", "merge", "report")
WANTS_MORE += ("trec_eval",)

RUN = {
    "query": ["q1", "q1", "q17", "q17"],
    "item": ["d1", "d2", "d3", "d1"],
    "score": [0.9, 0.8, 0.7, 0.7],
}
QRELS = "q1 0 d2 1\nq1 0 d9 2\nq17 0 d1 1\n"
CLICKS = {
    "user_id": ["ann", "ann", "bob", "bob"],
    "country": ["DE", "DE", "JP", "JP"],
    "device": ["tv", "pc", "tv", "pc"],
    "clicked": [1, 0, 1, 0],
    "score": [0.8, 0.2, 0.4, 0.5],
    "p_v7": [0.7, 0.1, 0.6, 0.3],
    "p_old": [0.6, 0.2, 0.5, 0.4],
    "p_new": [0.9, 0.1, 0.7, 0.2],
}


def trec(run: dict[str, list]) -> str:
    return "".join(f"{q} Q0 {item} 1 {score} mine\n" for q, item, score in zip(*run.values(), strict=True))


FILES = {
    "qrels.txt": QRELS,
    "run.txt": trec(RUN),
    "prefs.txt": "q1 ann s d2 1\nq1 ann s d9 2\nq17 bob s d1 1\n",
    "run.trec": trec(RUN),
    "run.csv": "user_id,item_id,score\nann,a,0.9\nann,b,0.8\nbob,c,0.6\n",
    "truth.csv": "user_id,item_id,relevance\nann,b,1\nbob,c,1\n",
    "recs.csv": "user_id,item_id,score\nann,a,0.9\nann,b,0.8\nbob,c,0.6\n",
    "films.csv": "item_id\na\nb\nc\nd\n",
    "genres.csv": "item_id,genre\na,war\nb,love\nc,war\n",
    "test.csv": "user_id,item_id,relevance,country\nann,b,1,DE\nbob,c,1,JP\n",
    "train.csv": "user_id,item_id\nann,a\n",
    "table.csv": "metric,value\nmap@10,0.302\nmrr@10,0.500\n",
    "clicks.csv": "clicked,p\n0,0.1\n0,0.4\n1,0.35\n1,0.8\n",
    "animals.csv": "label,guess\ncat,cat\ndog,cat\ncow,cow\n",
}
RUNS = ("a.run", "b.run", "c.run", "bm25.run", "dense.run", "v2.run", "runs/v7.run", "old.run", "new.run")
FILES |= dict.fromkeys(RUNS, trec(RUN))
TABLES = {"run.parquet": RUN, "clicks.parquet": CLICKS, "log.parquet": CLICKS}
TABLES |= {"old.parquet": RUN, "new.parquet": RUN, "monday.parquet": CLICKS, "tuesday.parquet": CLICKS}
SAVED = ("run.steelyard", "old.steelyard", "new.steelyard")
SAVED_PARTS = {"monday.state": "q1", "tuesday.state": "q2", "days/monday.state": "q1"}


def in_page(text: str) -> Iterator[str]:
    """The commands of a Markdown page, without those of its sessions and of its Python examples."""
    text = re.sub(r"```(console|python)\n.*?```", "", text, flags=re.DOTALL)
    yield from in_text(text)


def in_text(text: str) -> Iterator[str]:
    """Lines that are a command, and commands in backticks, which may go on in the next line."""
    text = text.replace("\\\n", " ")
    # a title such as "steelyard {version} · …" is no command
    yield from re.findall(r"^ *(?:\$ )?(steelyard [^{\n][^\n]*)$", text, re.MULTILINE)
    for span in re.findall(r"`(steelyard [^`]+)`", text):
        yield " ".join(span.split())


def in_source(path: Path) -> Iterator[str]:
    """The commands in the texts of a module, its docstrings among them."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from in_text(node.value)


def commands() -> dict[str, set[str]]:
    """Every command, with the files that show it."""
    found: dict[str, set[str]] = {}
    shown = [(path, in_page(path.read_text("utf-8"))) for path in PAGES]
    shown += [(path, in_source(path)) for path in SOURCES]
    for path, some in shown:
        for one in some:
            found.setdefault(one, set()).add(path.relative_to(ROOT).as_posix())
    return found


SHOWN = commands()
OF_THE_DEMO = {one for one, places in SHOWN.items() if places == {"src/steelyard/demo/show.py"}}
AT_HOME = sorted(SHOWN.keys() - OF_THE_DEMO)


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The files that the commands of the documentation read, in the current folder."""
    for name in ("runs", "days"):
        (tmp_path / name).mkdir()
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    for name, table in TABLES.items():
        pl.DataFrame(table).write_parquet(tmp_path / name)
    for name in SAVED:
        sy.evaluate({"q1": ["d1", "d2"]}, {"q1": ["d2"]}, "mrr").save(tmp_path / name)
    for name, query in SAVED_PARTS.items():
        sy.partial({query: ["d1", "d2"]}, {query: ["d2"]}, "mrr").save(tmp_path / name)
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module")
def store() -> Iterator[str]:
    """The address of an object store that has the tables of ``s3://``."""
    moto, boto3 = pytest.importorskip("moto.server"), pytest.importorskip("boto3")
    server = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    access = {"aws_access_key_id": "testing", "aws_secret_access_key": SECRET, "region_name": "us-east-1"}
    client = boto3.client("s3", endpoint_url=f"http://{host}:{port}", **access)
    client.create_bucket(Bucket="logs")
    log = written(pl.DataFrame(CLICKS))
    client.put_object(Bucket="logs", Key="clicks/dt=2026-11-01/part-0.parquet", Body=log)
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shop")
    write(simulate(), folder)
    return folder


def arguments(command: str) -> list[str]:
    """What a shell would make of it."""
    given = [STANDS_FOR.get(word, word) for word in shlex.split(command)[1:]]
    return [*given, "--help"] if len(given) == 1 and given[0] in WANTS_MORE else given


@pytest.mark.parametrize("command", AT_HOME)
def test_a_command_that_is_shown_runs(command, files, steelyard, request, monkeypatch):
    if "s3://" in command:
        environment(monkeypatch, request.getfixturevalue("store"))
    done = steelyard(*arguments(command))

    assert done.code == 0, f"{sorted(SHOWN[command])} shows it: {done.err}"
    assert done.out or done.err


@pytest.mark.parametrize("command", sorted(OF_THE_DEMO))
def test_a_command_of_the_demonstration_runs_in_its_folder(command, shop, steelyard, monkeypatch):
    monkeypatch.chdir(shop)
    done = steelyard(*arguments(command))

    assert done.code == 0, done.err
    assert done.out


def test_commands_are_found_wherever_they_are_shown():
    text = "Use `steelyard metrics\n  ndcg`.\n\n```sh\nsteelyard demo \\\n  shop\n```\n"
    session = "\n```console\n$ steelyard demo x\n```\n"
    assert list(in_page(text + session)) == ["steelyard demo    shop", "steelyard metrics ndcg"]

    places = set.union(*SHOWN.values())
    assert {"README.md", "docs/cli.md", "docs/guide/charts.md"} <= places
    assert {f"src/steelyard/cli/{name}.py" for name in ("main", "evaluate", "explain")} <= places
    assert len(OF_THE_DEMO) >= 4


def test_every_block_of_a_page_says_what_it_is():
    """No command hides in one: a block of ``sh`` holds nothing but commands that are looked at here."""
    for path in PAGES:
        blocks = re.findall(r"^```(\w*)\n(.*?)^```$", path.read_text("utf-8"), re.DOTALL | re.MULTILINE)
        languages = {language for language, _ in blocks}
        assert languages <= {"sh", "console", "python", "text", "toml", "json"}, path
        lines = [line for language, text in blocks if language == "sh" for line in text.splitlines()]
        assert {line.split()[0] for line in lines if line} <= {"steelyard", "pip", "make"}, path


def test_every_example_of_a_help_text_is_among_them():
    lines = [line.strip() for one in program.commands.values() for line in (one.help or "").splitlines()]

    assert {line for line in lines if line.startswith("steelyard ")} <= set(AT_HOME)


def test_every_target_that_is_named_is_in_the_makefile():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    pages, sources = ([path.read_text("utf-8") for path in paths] for paths in (PAGES, SOURCES))
    lines = [
        one for text in pages for one in re.findall(r"(?:^ *|`)make ([^`\n]+)(?:`|$)", text, re.MULTILINE)
    ]
    lines += [one for text in sources for one in re.findall(r"`make ([^`\n]+)`", text)]
    words = {word for line in lines for word in shlex.split(line, comments=True)}
    named = {word for word in words if "=" not in word and "/" not in word}

    assert {"demo", "test", "check"} <= named
    assert named <= targets


def test_every_extra_that_is_named_can_be_installed():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    texts = [path.read_text("utf-8") for path in [*PAGES, *SOURCES]]
    named = {one for text in texts for one in re.findall(r"(?:steelyard|\.)\[(\w+)\]['\"`]", text)}

    assert {"report", "pandas", "all"} <= named
    assert named <= set(extras)
