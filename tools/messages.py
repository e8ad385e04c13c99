"""Hold templates, figures and catalogues together: ``python tools/messages.py [SOURCE]``.

Every template in the source must be given the figures that it names and no others, and every catalogue must
have every template and no others. What does not fit is printed with its place, and ends in exit code 1.
``--missing zh`` prints the templates that a catalogue lacks, as lines to be filled in.
"""

from __future__ import annotations

import argparse
import ast
import dataclasses
import json
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from pathlib import Path
from string import Formatter

import click

from steelyard import errors
from steelyard.ask import profiles
from steelyard.cli import usage
from steelyard.cli.main import steelyard
from steelyard.explain import ROC
from steelyard.messages.message import SEPARATORS
from steelyard.metrics import by_name
from steelyard.metrics.classes import UNDEFINED_AVERAGE
from steelyard.report.catalogue import paragraphs

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "steelyard"
_ERRORS = set(errors.__all__)
_NO_FIGURES = {"remedy", "key", "kind"}
_HINT = " // "
_FIGURE = re.compile(r"\{([a-z_]+)(?::[^\s{}][^{}]*)?\}")  # braces of another kind are text


@dataclass(frozen=True)
class Template:
    """A template where it stands in the source."""

    text: str
    place: str


class MisfitError(ValueError):
    """A template that cannot be read."""


def names(template: str) -> set[str]:
    """The figures that a template names."""
    try:
        found = list(Formatter().parse(template.partition(_HINT)[0]))
    except ValueError as error:
        raise MisfitError(str(error)) from None
    for _, name, form, conversion in found:
        if name is not None and not name.isidentifier():
            raise MisfitError(
                f"'{{{name}}}' is no name of a figure (braces that are meant as such stand twice)"
            )
        if conversion or "{" in (form or ""):
            raise MisfitError(f"'{{{name}}}' has a conversion or braces in its form")
    return {name for _, name, _, _ in found if name is not None}


class Scan(ast.NodeVisitor):
    """Every call that says something: ``say(…)``, the making of an error, and a refusal given its figures.

    ``refusals`` are the figures of each error that is declared with ``Refusal``, by module and name.
    """

    def __init__(self, file: Path, root: Path, refusals: Mapping[tuple[str, str], set[str]]) -> None:
        self.file = file.relative_to(root).as_posix()
        self.refusals = refusals
        self.modules: dict[str, str] = {}  # of errors, by the name that they are imported under
        self.templates: list[Template] = []
        self.problems: list[str] = []

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        if node.module == "steelyard.errors":
            self.modules |= {one.asname or one.name: one.name for one in node.names}

    def visit_Call(self, node: ast.Call) -> None:
        called = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        self._refusal(node)
        if called == "say":
            self._call(node, node.args[:1], literal=True)
        elif called in _ERRORS:
            of_row = called == "RowError"
            first = node.args[1:2] if of_row else node.args[:1]
            remedy = [word.value for word in node.keywords if word.arg == "remedy"]
            self._call(node, [*first, *remedy], no_figures={"column"} if of_row else set())
        elif called == "Refusal":
            remedy = [word.value for word in node.keywords if word.arg == "remedy"]
            self._call(node, [*node.args[1:2], *remedy], waiting=True)  # its calls bring the figures
        self.generic_visit(node)

    def _refusal(self, node: ast.Call) -> None:
        """Hold a call to the figures that the refusal names."""
        where = node.func.value if isinstance(node.func, ast.Attribute) else None
        if not isinstance(where, ast.Name) or where.id not in self.modules:
            return
        assert isinstance(node.func, ast.Attribute)
        named = self.refusals.get((self.modules[where.id], node.func.attr))
        given = {word.arg for word in node.keywords}
        if named is not None and (node.args or given != named):
            wanted = ", ".join(sorted(named)) or "nothing"
            self._problem(node, f"{node.func.attr} must be given by name: {wanted}")

    def _call(
        self,
        node: ast.Call,
        said: list[ast.expr],
        *,
        literal: bool = False,
        waiting: bool = False,
        no_figures: Set[str] = frozenset(),
    ) -> None:
        texts: list[str] = []
        for expression in said:
            for part in _branches(expression):
                if isinstance(part, ast.Constant) and isinstance(part.value, str):
                    texts.append(part.value)
                elif isinstance(part, ast.JoinedStr) or (literal and not isinstance(part, ast.Constant)):
                    self._problem(part, "a template must stand as plain text, with its figures beside it")
        given = {word.arg for word in node.keywords} - _NO_FIGURES - no_figures
        named: set[str] = set()
        for text in filter(None, texts):
            if text.partition(_HINT)[0].strip():
                self.templates.append(Template(text, f"{self.file}:{node.lineno}"))
            if given - {None}:
                try:
                    named |= names(text)
                except MisfitError as misfit:
                    self._problem(node, f"{text!r}: {misfit}")
            elif not given and not waiting:
                named |= set(_FIGURE.findall(text))
        if None in given or not texts:
            return
        if lost := sorted(named - given):
            self._problem(node, f"{texts[0]!r} names figures that it is not given: {', '.join(lost)}")
        if idle := sorted(str(one) for one in given - named):
            self._problem(node, f"{texts[0]!r} is given figures that it does not name: {', '.join(idle)}")

    def _problem(self, node: ast.expr, what: str) -> None:
        self.problems.append(f"{self.file}:{node.lineno}: {what}")


def _branches(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.IfExp):
        yield from _branches(node.body)
        yield from _branches(node.orelse)
    else:
        yield node


def refusals(source: Path) -> dict[tuple[str, str], set[str]]:
    """The figures that each declared refusal names, in its sentence and in its remedy."""
    found = {}
    for file in sorted((source / "errors").glob("*.py")):
        for node in ast.parse(file.read_text("utf-8")).body:
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
                called, target = node.value.func, node.targets[0]
                if isinstance(called, ast.Name) and called.id == "Refusal" and isinstance(target, ast.Name):
                    said = [node.value.args[1], *(word.value for word in node.value.keywords)]
                    texts = [one.value for one in said if isinstance(one, ast.Constant)]
                    found[file.stem, target.id] = {name for text in texts for name in names(text)}
    return found


def scanned(source: Path) -> tuple[list[Template], list[str]]:
    """Every template of the source, and what is wrong with some."""
    templates: list[Template] = []
    problems: list[str] = []
    known = refusals(source)
    for file in sorted(source.rglob("*.py")):
        scan = Scan(file, source, known)
        scan.visit(ast.parse(file.read_text("utf-8")))
        templates += scan.templates
        problems += scan.problems
    return templates, problems


def declared() -> list[Template]:
    """The texts that are said by value: sentences of metrics, meanings of choices, profiles, separators."""
    found = [Template(text, "messages/message.py") for text in SEPARATORS]
    for profile in profiles().values():
        found += [Template(text, f"profiles: {profile.name}") for text in profile.without_cutoff.values()]
    found += [Template(text, "metrics/classes.py") for text in UNDEFINED_AVERAGE.values()]
    for cls in by_name().values():
        place = f"{cls.__module__.removeprefix('steelyard.').replace('.', '/')}.py"
        texts = [*paragraphs(cls), cls.undefined_when]
        for field in dataclasses.fields(cls):
            about = field.metadata
            texts += [*about.get("meaning", {}).values(), *about.get("words", {}).values()]
            texts += [about.get("about", ""), about.get("number", "")]
        found += [Template(text, place) for text in texts if text]
    return [*found, Template(ROC.__doc__ or "", "explain/rows_curves.py")]


def of_commands() -> list[Template]:
    """The help texts of the commands and of their options."""
    found = []
    for name, command in {"main": steelyard, **steelyard.commands}.items():
        context = command.context_class(command, info_name=name)
        options = [one for one in command.get_params(context) if isinstance(one, click.Option)]
        texts = [*usage.paragraphs(command), *(option.help or "" for option in options)]
        found += [Template(text, f"cli/{name}.py") for text in texts if text]
    return found


def catalogue_problems(file: Path, templates: list[Template]) -> list[str]:
    """What a catalogue lacks, has too much of, or fills with other figures than its template has."""
    try:
        sections = tomllib.loads(file.read_text("utf-8"))
    except tomllib.TOMLDecodeError as error:
        return [f"{file.name}: {error}"]
    known = {template.text: template for template in templates}
    said: dict[str, str] = {}
    problems = []
    for section, entries in sections.items():
        for key, text in entries.items():
            place = f"{file.name}: [{section}] {key!r}"
            if key in said:
                problems.append(f"{place} stands twice")
            said[key] = text
            if key not in known:
                problems.append(f"{place} is no template of the source")
                continue
            try:
                extra = names(text) - names(key) if _has_figures(key) else set()
            except MisfitError as misfit:
                problems.append(f"{place}: {misfit}")
                continue
            if extra:
                problems.append(f"{place} names figures that the template lacks: {', '.join(sorted(extra))}")
    problems += [
        f"{file.name}: lacks {template.text!r} ({template.place})"
        for text, template in known.items()
        if text not in said
    ]
    return problems


def _has_figures(template: str) -> bool:
    try:
        return bool(names(template))
    except MisfitError:
        return False  # a text without figures, with braces of its own


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", nargs="?", type=Path, default=SOURCE)
    parser.add_argument("--missing", metavar="LANG", help="print what a catalogue lacks, to be filled in")
    given = parser.parse_args()
    templates, problems = scanned(given.source)
    templates += [*declared(), *of_commands()]
    catalogues = sorted((given.source / "messages").glob("*.toml"))
    if given.missing:
        said = tomllib.loads((given.source / "messages" / f"{given.missing}.toml").read_text("utf-8"))
        there = {key for section in said.values() for key in section}
        for template in dict.fromkeys(one for one in templates if one.text not in there):
            print(f"# {template.place}\n{json.dumps(template.text, ensure_ascii=False)} = ")
        return 0
    for catalogue in catalogues:
        problems += catalogue_problems(catalogue, templates)
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
