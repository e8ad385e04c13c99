"""Write the generated parts of the documentation: ``python tools/docs.py``.

A generated part stands between ``<!-- name -->`` and ``<!-- /name -->``: help texts, tables of fields, of
names and of profiles. In the stubs of the package, ``# metrics`` is followed by a line for each metric, and
to the edition of the defaults metrics are added that it does not have; what it has never changes. What a
command prints in a ``console`` block is generated too: the commands of a page run one after another in an
empty folder, as on a terminal. ``--check`` writes nothing, names the files that are stale and exits with 1.
A command that fails, and does not show an error of its own, ends it.
"""

from __future__ import annotations

import dataclasses
import json
import os
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import profile_pages
from profile_pages import table

from steelyard import spec
from steelyard.cli.main import steelyard as command
from steelyard.cli.options import Context, Speech
from steelyard.conventions import ALIGN_FIELDS, AVERAGE_FIELDS, LABELLED_FIELDS, RANK_FIELDS, plain
from steelyard.metrics import EDITION, LabelledMetric, Metric, RankingMetric, by_name
from steelyard.metrics.fields import number_kind
from steelyard.metrics.registry import TASKS, entries
from steelyard.read import files, roles
from steelyard.render.catalogue import sentence
from steelyard.render.charts import KINDS as CHARTS
from steelyard.stats.testing import STATISTICS
from steelyard.text import Message, languages, say

ROOT = Path(__file__).resolve().parent.parent
WIDTH = 100
READING_ORDER = (
    *("precision@k", "recall@k", "fbeta@k", "hit_rate", "r_precision", "mrr", "map"),
    *("cg", "dcg", "idcg", "ndcg"),
    *("auc", "gauc", "pr_auc", "ks", "logloss", "ne", "rig", "brier", "calibration", "copc", "ece", "mce"),
    *("accuracy", "precision", "recall", "fbeta", "specificity", "fpr", "balanced_accuracy", "mcc"),
    *("confusion", "top_accuracy@k"),
    *("rmse", "mse", "mae", "r2"),
)
HEADS = {
    "en": ["metric", "what it says", "中文"],
    "zh": ["指标", "含义", "名称"],
}  # of its table, by language
INTERVALS = {
    "score": "Wilson's score interval, with the effective number of units and their spread",
    "logit": "by influence and Student's t on the logit scale, which keeps it inside the bounds",
    "log": "by influence and Student's t on the log scale",
    "log_rest": "the same of what is left to 1",
    "t": "by influence, the value plus and minus Student's t times its standard error",
    "percentile": "percentiles of the values of resampled units",
    "basic": "the same, mirrored at the value",
    "none": "none: counts are no estimate, and the others depend on the number of users",
}
STAGES = {"align": ALIGN_FIELDS, "rank": RANK_FIELDS, "rows": LABELLED_FIELDS, "mean": AVERAGE_FIELDS}

# --- the pages


def pages() -> list[Path]:
    """Every page with generated parts, or without; decision records have none."""
    docs = ROOT / "docs"
    own = [ROOT / "README.md", ROOT / "README.zh-CN.md"]
    return [*own, *sorted(p for p in docs.rglob("*.md") if docs / "adr" not in p.parents)]


def data_files() -> list[Path]:
    """The files of the package in which every metric has its lines: the public names, the defaults."""
    package = ROOT / "src" / "steelyard"
    edition = package / "spec" / "editions" / f"{EDITION.replace(':', '_')}.toml"
    return [package / "__init__.pyi", package / "metrics" / "__init__.pyi", edition]


def stale() -> dict[Path, str]:
    """The pages that are not as they would be generated, with what they should be."""
    found = {path: path.read_text("utf-8") for path in [*data_files(), *pages()]}
    with ThreadPoolExecutor() as pool:
        wanted = dict(zip(found, pool.map(generated, found, found.values()), strict=True))
    return {path: text for path, text in wanted.items() if text != found[path]}


def generated(path: Path, text: str) -> str:
    """The text of a page with its generated parts and its sessions renewed."""
    return _with_console(with_parts(path, text))


def with_parts(path: Path, text: str) -> str:
    """The text of a page with its generated parts renewed; its sessions stay as they are."""
    if path.suffix == ".pyi":
        return "".join(text.partition("# metrics\n")[:2]) + _classes()
    if path.suffix == ".toml":
        return _with_defaults(text)
    for name, make in PARTS.items():
        part = re.compile(f"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
        text = part.sub(lambda found, make=make: f"{found[1]}\n{make(path)}\n\n{found[2]}", text)
    lang = "zh" if path.name.endswith(".zh-CN.md") else "en"
    for name, said in INLINE.items():
        text = re.sub(f"(<!-- {name} -->)[^<]*(<!-- /{name} -->)", rf"\g<1>{said().render(lang)}\g<2>", text)
    return text


# --- metrics and fields


def metrics() -> dict[str, type[Metric]]:
    """The metrics that ship with the package, in the order of reading."""
    known = {name: cls for name, cls in by_name().items() if cls.__module__.startswith("steelyard.")}
    first = [name for name in READING_ORDER if name in known]
    return {name: known[name] for name in dict.fromkeys([*first, *known])}


def _classes() -> str:
    found = sorted((cls.__module__, cls.__name__) for cls in metrics().values())
    return "".join(f"from {module} import {name} as {name}\n" for module, name in found)


def _with_defaults(text: str) -> str:
    """An edition with a line for each field that it lacks, of the stages and of each metric."""
    edition = tomllib.loads(text)
    shared = [field for one in (RankingMetric, LabelledMetric) for field in dataclasses.fields(one)]
    fields = {"conventions": [one for one in shared if one.name not in {"k", "order"}]}
    for name, cls in metrics().items():
        own = [one for one in cls.own_fields() if one.name not in {"k", *edition["conventions"]}]
        fields[f'metrics."{name}"' if "@" in name else f"metrics.{name}"] = own
    for head, several in fields.items():
        key = head.removeprefix("metrics.").strip('"')
        stated = edition["conventions"] if key == "conventions" else edition["metrics"].get(key, {})
        lines = {one.name: _default(one) for one in several if one.name not in stated}
        text += "" if f"[{head}]\n" in text else f"\n[{head}]\n"
        known = re.escape(f"[{head}]\n") + r"(?:\w+ = .*\n)*"
        text = re.sub(known, lambda found, lines=lines: found[0] + "".join(lines.values()), text)
    return text


def _default(field: dataclasses.Field[Any]) -> str:
    number = isinstance(field.default, bool | int | float)
    return f"{field.name} = {plain(field.default) if number else json.dumps(plain(field.default))}\n"


def page_of(name: str) -> str:
    """The page of a metric; where a ranking metric has the same name, that of classes is named so."""
    own = name.removesuffix("@k")
    return f"class_{own}" if own == name and f"{name}@k" in by_name() else own


def _metrics(path: Path) -> str:
    return _listed(path, [name for name, cls in metrics().items() if issubclass(cls, RankingMetric)])


def _list_metrics(path: Path) -> str:
    return _listed(path, [name for name, cls in metrics().items() if cls.reads == "lists"])


def _row_metrics(path: Path) -> str:
    return _listed(path, [name for name, cls in metrics().items() if cls.reads not in ("hits", "lists")])


def _names(_path: Path) -> str:
    """Every name with its Chinese ones; a metric of lists and one of classes may share them."""
    rows = []
    for name in dict.fromkeys(cls.name for cls in metrics().values()):
        keys = sorted(key for key, cls in metrics().items() if cls.name == name)
        known = {entry.name: entry for entry in entries() if entry.metric.name == name}
        zh = next(cls.zh for cls in metrics().values() if cls.name == name)
        keys += [one for one, entry in known.items() if one.isascii() and entry.fixed]
        further = [one for one in known if not one.isascii() and one != zh]
        rows.append([", ".join(keys), f"{zh} ({', '.join(further)})" if further else zh])
    return table(["metric", "中文"], rows)


def _listed(path: Path, names: list[str]) -> str:
    folder = "docs/metrics" if path.parent == ROOT else "metrics"
    lang = "zh" if path.name.endswith(".zh-CN.md") else "en"
    known = metrics()
    rows = [
        [f"[{_usage(known[name])}]({folder}/{page_of(name)}.md)", sentence(known[name], lang), known[name].zh]
        for name in names
    ]
    return table(HEADS[lang], rows)


def _usage(cls: type[Metric]) -> str:
    short = str(cls()).removesuffix("@all")
    names = list(dict.fromkeys([short, cls.name]))
    return ", ".join(f"`{name}@k`" if cls.at == "required" else f"`{name}`" for name in names)


def _fields(path: Path) -> str:
    if path.parent.name != "metrics":
        return _shared_fields()
    cls = next(cls for name, cls in metrics().items() if page_of(name) == path.stem)
    low, high = (plain(bound).replace("inf", "∞") for bound in cls.bounds)
    own = [field for field in dataclasses.fields(cls) if _stage(field.name) == "metric"]
    intro = f"Class `steelyard.{cls.__name__}`, from {low} to {high}."
    if not own:
        return f"{intro} It has no fields of its own."
    rows = [row for field in own for row in _field(field)]
    if cls.at == "required" and own[0].name == "k":  # `all` must be said, as any other cutoff
        rows[:2] = [["`k`", *rows[1][1:]], ["", *rows[0][1:]]]
    return f"{intro} The default comes first.\n\n{table(['field', 'value', 'meaning'], rows)}"


def _shared_fields() -> str:
    families = (RankingMetric, LabelledMetric)
    known = {field.name: field for family in families for field in dataclasses.fields(family)}
    rows = []
    for stage, names in STAGES.items():
        fields = [known[name] for name in names]
        rows += [row for field in fields for row in _field(field)]
        rows[-sum(len(_field(field)) for field in fields)][:0] = [stage]
    return table(
        ["stage", "field", "value", "meaning"], [row if len(row) == 4 else ["", *row] for row in rows]
    )


def _stage(name: str) -> str:
    return next((stage for stage, names in STAGES.items() if name in names), "metric")


def _field(field: dataclasses.Field[Any]) -> list[list[str]]:
    """One row per value, the default first."""
    if "meaning" in field.metadata:
        meaning = dict(field.metadata["meaning"])
        words = sorted(meaning, key=lambda word: word != plain(field.default))
        values = [[f"`{word}`", meaning[word]] for word in words]
        if field.name == "gain":
            values.append(["`1:3/2:9`", "a mapping from grade to gain; a grade that it lacks is an error"])
    else:
        default = plain(field.default)
        values = [[number_kind(field), field.metadata["number"]]]
        words = [[f"`{word}`", text] for word, text in field.metadata["words"].items()]
        if isinstance(field.default, int | float):
            values[0][0] = f"`{default}`, or {values[0][0]}"
            values = values + words
        else:  # a word is the default
            values = words + values
    return [[f"`{field.name}`" if at == 0 else "", *value] for at, value in enumerate(values)]


# --- profiles, roles, help


def _roles(_path: Path) -> str:
    named = [role for role in roles.ROLES if role in roles.NAMES]
    rows = [[f"`{role}`", _quoted(roles.NAMES[role])] for role in named]
    label = ["`label`", f"those of `relevance`, and {_quoted(roles.OTHERS['labels'])}"]
    rows.insert(roles.ROLES.index("relevance") + 1, label)
    rows.append(["`feature`", "every column of features but the item, unless some are named"])
    return table(["role", "names that are recognised"], rows)


def _quoted(words: str) -> str:
    return ", ".join(f"`{word}`" for word in words.split())


def _help(_path: Path) -> str:
    top = Context(
        command, info_name="steelyard", terminal_width=WIDTH, obj=Speech("en"), **command.context_settings
    )
    parts = [f"## steelyard\n\n```text\n{command.get_help(top)}\n```"]
    for name, one in command.commands.items():
        context = Context(one, info_name=name, parent=top, terminal_width=WIDTH)
        parts.append(f"## steelyard {name}\n\n```text\n{one.get_help(context)}\n```")
    return "\n\n".join(re.sub(r"[ \t]+$", "", part, flags=re.MULTILINE) for part in parts)


def _intervals(_path: Path) -> str:
    """Which metric has which interval by default, each kind with what it is."""
    kinds: dict[str, list[str]] = {kind: [] for kind in INTERVALS}
    for name, cls in metrics().items():
        metric = spec.metric(f"{cls.name}@10" if name.endswith("@k") else name)
        kinds[metric.interval()].append(_usage(cls))
    rows = [[f"`{kind}`", about, ", ".join(kinds[kind])] for kind, about in INTERVALS.items() if kinds[kind]]
    return table(["interval", "is", "of"], rows)


def _tasks(_path: Path) -> str:
    """Every task with its metrics."""
    rows = [[f"`{task}`", ", ".join(f"`{label}`" for label in labels)] for task, labels in TASKS.items()]
    return table(["task", "metrics"], rows)


def _statistics(_path: Path) -> str:
    """Every test of a difference with what it is and what for."""
    rows = [[f"`{name}`", test.about, test.suits] for name, test in STATISTICS.items()]
    return table(["`test`", "is", "for"], rows)


def _charts(_path: Path) -> str:
    """Every chart: what it shows, what a result must hold, what it may be asked for."""
    systems = {"any": "", "two": "two results with ", "several": "several results with "}
    rows = [
        [
            f"`{name}`",
            str(kind.picture.__doc__).partition("\n\n")[0].replace("\n    ", " ").removesuffix("."),
            systems[kind.systems] + str(kind.needs),
            ", ".join(f"`{one}`" for one in kind.options),
        ]
        for name, kind in CHARTS.items()
    ]
    return table(["chart", "shows", "drawn where there are", "options"], rows)


PARTS: dict[str, Callable[[Path], str]] = {
    "metrics": _metrics,
    "list_metrics": _list_metrics,
    "row_metrics": _row_metrics,
    "names": _names,
    "fields": _fields,
    "roles": _roles,
    "help": _help,
    "intervals": _intervals,
    "tasks": _tasks,
    "statistics": _statistics,
    "charts": _charts,
    **profile_pages.PARTS,
}

INLINE: dict[str, Callable[[], Message]] = {
    "n_list_metrics": lambda: say("{n}", n=sum(cls.reads == "lists" for cls in metrics().values())),
    "n_row_metrics": lambda: say(
        "{n}", n=sum(cls.reads not in ("hits", "lists") for cls in metrics().values())
    ),
    "formats": lambda: files.ALL,
    "packed_formats": lambda: say("{names:and}", names=files.TEXT),
}


# --- what commands print

_CONSOLE = re.compile(r"(```console\n)(.*?)(```)", re.DOTALL)
_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def _with_console(text: str) -> str:
    if os.name != "posix" or not _CONSOLE.search(text):
        return text
    with tempfile.TemporaryDirectory() as folder:
        return _CONSOLE.sub(lambda block: block[1] + _session(block[2], Path(folder)) + block[3], text)


def _session(block: str, folder: Path) -> str:
    """The commands of a block, each followed by what it prints now."""
    return "".join(f"$ {line}\n{_printed(line, folder)}" for line in _commands(block))


def _commands(block: str) -> Iterator[str]:
    """Every command of a block: a line after ``$``, with the lines that a ``\\`` or a here-document adds."""
    lines = iter(block.splitlines())
    for line in lines:
        if not line.startswith("$ "):
            continue
        said = [line.removeprefix("$ ")]
        ends = re.search(r"<<'?(\w+)", said[0])
        while said[-1].endswith("\\") or (ends and said[-1] != ends[1]):
            said.append(next(lines))
        yield "\n".join(said)


def _printed(line: str, folder: Path) -> str:
    """What a command prints on a terminal: first its output, then what it says beside it."""
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}",
        "COLUMNS": str(WIDTH),
        "NO_COLOR": "1",
        "PYTHONUTF8": "1",
        "LC_ALL": "C.UTF-8",
    }
    terminal, side = os.openpty()
    with subprocess.Popen(
        ["sh", "-c", line],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=side,
        stderr=subprocess.PIPE,
    ) as process:
        os.close(side)
        output = b"".join(_read(terminal))
        said = process.stderr.read() if process.stderr else b""
    os.close(terminal)
    text = _ANSI.sub("", (output + said).decode().replace("\r\n", "\n"))
    expected = 2 if text.startswith(tuple(map(say("error: ").render, languages()))) else 0
    if process.returncode != expected:
        raise SystemExit(f"`{line}` ends with exit code {process.returncode}, not {expected}:\n{text}")
    return text


def _read(terminal: int) -> Iterator[bytes]:
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # the other side is closed
            return
        if not piece:
            return
        yield piece


def main(arguments: list[str]) -> int:
    """Write what is stale, or with ``--check`` only name it."""
    if arguments not in ([], ["--check"]):
        print("usage: python tools/docs.py [--check]", file=sys.stderr)
        return 2
    found = stale()
    for path, text in found.items():
        if arguments:
            print(f"stale: {path.relative_to(ROOT)}", file=sys.stderr)
        else:
            path.write_text(text, "utf-8")
            print(f"written: {path.relative_to(ROOT)}")
    if arguments and found:
        print("python tools/docs.py writes them anew", file=sys.stderr)
    return 1 if arguments and found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
