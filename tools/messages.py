"""Hold templates, figures and catalogues together: ``python tools/messages.py [SOURCE]``.

Every template in the source must be given the figures that it names and no others, each in a form that there
is, and every catalogue must have every template and no others, with all its figures. What does not fit is
printed with its place, and ends in exit code 1. ``--missing zh`` prints the templates that a catalogue lacks,
all of them where there is no such file yet, as lines to be filled in.
"""

from __future__ import annotations

import argparse
import ast
import dataclasses
import json
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from pathlib import Path
from string import Formatter

import click

from steelyard.cli.main import steelyard
from steelyard.cli.options import paragraphs as paragraphs_of_help
from steelyard.metrics import by_name
from steelyard.metrics.classes.base import UNDEFINED_AVERAGE
from steelyard.render.catalogue import paragraphs
from steelyard.render.explanation import ROC
from steelyard.spec import profiles
from steelyard.text import HINT, LISTS, SEPARATORS
from steelyard.text.errors import base as errors
from steelyard.text.errors.forms import FORMS, ROLES, parts

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "steelyard"
_ERRORS = {name for name in vars(errors) if name.endswith("Error")}
_NO_FIGURES = {"remedy", "key", "kind"}
_OF_ROW = {"row", "column"}
_FIGURE = re.compile(r"\{([a-z_]+)(?::[^\s{}][^{}]*)?\}")  # braces of another kind are text


@dataclass(frozen=True)
class Template:
    """A template where it stands in the source."""

    text: str
    place: str


class MisfitError(ValueError):
    """A template that cannot be read."""


def forms(template: str) -> dict[str, set[str]]:
    """The figures that a template names, each with the forms that it is shown in."""
    try:
        parts = list(Formatter().parse(template.partition(HINT)[0]))
    except ValueError as error:
        raise MisfitError(str(error)) from None
    found: dict[str, set[str]] = {}
    for _, name, form, conversion in parts:
        if name is None:
            continue
        if not name.isidentifier():
            raise MisfitError(
                f"'{{{name}}}' is no name of a figure (braces that are meant as such stand twice)"
            )
        if conversion or "{" in (form or ""):
            raise MisfitError(f"'{{{name}}}' has a conversion or braces in its form")
        if not _is_form(form or ""):
            raise MisfitError(f"'{{{name}:{form}}}' has a form that there is not")
        found.setdefault(name, set()).add(form or "")
    for name, shown in found.items():
        if any(map(_is_of_list, shown)) and any(map(_is_of_number, shown)):
            raise MisfitError(f"'{name}' is shown as a number and as a list")
    return found


def _is_form(form: str) -> bool:
    return form in LISTS or form in FORMS or form.count("|") == 1 or _is_of_number(form)


def _is_of_list(form: str) -> bool:
    return bool(form) and form in LISTS


def _is_of_number(form: str) -> bool:
    return bool(form) and (_formats(1, form) or _formats(1.0, form))


def _formats(number: float, form: str) -> bool:
    try:
        format(number, form)
    except ValueError:
        return False
    return True


class Scan(ast.NodeVisitor):
    """Every call that says something: ``say(…)``, the making of an error, and a refusal given its figures.

    ``refusals`` are the figures of each error that `refusals.toml` declares, by stage and name. Figures
    may be given as ``**name`` where that is a dictionary written out in the same function.
    """

    def __init__(
        self,
        file: Path,
        root: Path,
        refusals: Mapping[tuple[str, str], set[str]],
        defined: Mapping[str, set[str]],
    ) -> None:
        self.file = file.relative_to(root).as_posix()
        self.refusals = refusals
        self.defined = defined  # the names that each module of errors has beside its refusals
        self.modules: dict[str, str] = {}  # of errors, by the name that they are imported under
        self.bare: dict[str, tuple[str, str]] = {}
        self.sentences: dict[tuple[str, str], set[str]] = {}  # the figures of each, by its table and its key
        self.written: Mapping[str, set[str]] = {}  # the keys of the dictionaries of this function
        self.templates: list[Template] = []
        self.problems: list[str] = []

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        if node.module == "steelyard.text.errors":
            self.modules |= {one.asname or one.name: one.name for one in node.names}
        elif node.module and node.module.startswith("steelyard.text.errors."):
            module = node.module.rpartition(".")[2]
            self.bare |= {one.asname or one.name: (module, one.name) for one in node.names}

    def visit_Assign(self, node: ast.Assign) -> None:
        match node:
            case ast.Assign([ast.Name(table)], ast.Call(ast.Name("sentences"), keywords=rows)):
                for row in rows:
                    texts = row.value.elts if isinstance(row.value, ast.Tuple) else [row.value]
                    self.sentences[table, row.arg or ""] = set()
                    for text in texts:
                        if isinstance(text, ast.Constant) and isinstance(text.value, str):
                            self._declaration(text, text.value)
                            self.sentences[table, row.arg or ""] |= _named(text.value)
                        else:
                            self._problem(text, "a template must stand as plain text")
        self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        stage = self.modules.get(node.value.id, "") if isinstance(node.value, ast.Name) else ""
        if (
            stage in self.defined
            and (stage, node.attr) not in self.refusals
            and node.attr not in self.defined[stage]
        ):
            self._problem(node, f"there is no refusal {node.attr} in [{stage}] of refusals.toml")
        self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        around, self.written = self.written, _dictionaries(node)
        self.generic_visit(node)
        self.written = around

    def visit_Call(self, node: ast.Call) -> None:
        called = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        self._refusal(node)
        match node:
            case ast.Call(ast.Name(table), [ast.Constant(str(key))]) if (table, key) in self.sentences:
                if self._given(node) - _NO_FIGURES != self.sentences[table, key]:
                    wanted = ", ".join(sorted(self.sentences[table, key])) or "nothing"
                    self._problem(node, f"{key} must be given by name: {wanted}")
        if called == "say":
            self._call(node, node.args[:1], literal=self.file != "text/__init__.py")
        elif called in _ERRORS:
            of_row = called == "RowError"
            remedy = [word.value for word in node.keywords if word.arg == "remedy"]
            self._call(node, [*node.args[:1], *remedy], no_figures=_OF_ROW if of_row else set())
        elif text := _declared(node):
            self._declaration(node, text)
        self.generic_visit(node)

    def _declaration(self, node: ast.expr, text: str) -> None:
        """The sentence and the remedy of a declared error; its calls bring the figures."""
        for part in filter(None, parts(text)):
            self.templates.append(Template(part, f"{self.file}:{node.lineno}"))
            try:
                figures_of(part)
            except MisfitError as misfit:
                self._problem(node, f"{part!r}: {misfit}")

    def _refusal(self, node: ast.Call) -> None:
        """Hold a call to the figures that the declared error names."""
        match node.func:
            case ast.Name(name):
                named = self._called(*self.bare.get(name, ("", name)))
            case ast.Attribute(ast.Name(module), name):
                named = self._called(self.modules.get(module, ""), name)
            case ast.Call(ast.Name("declared"), [_, ast.Constant(str(name))]):
                named = self.refusals.get((Path(self.file).stem, name))
            case ast.Call():
                name, named = "this error", _declared_figures(node.func)
            case _:
                return
        if named is None:
            return
        remedies = [part for word in node.keywords if word.arg == "remedy" for part in _branches(word.value)]
        if any(isinstance(part, ast.Constant) and part.value for part in remedies):
            self._problem(node, f"{name} is given a remedy that is no message: say(…)")
        may_be = {"column"} & named
        if node.args or self._given(node) - {"remedy"} | may_be != named:
            wanted = ", ".join(sorted(named)) or "nothing"
            self._problem(node, f"{name} must be given by name: {wanted}")

    def _called(self, stage: str, name: str) -> set[str] | None:
        """The figures of a refusal; None where a function of its name brings them."""
        return None if name in self.defined.get(stage, ()) else self.refusals.get((stage, name))

    def _given(self, node: ast.Call) -> set[str]:
        """The names of the figures that a call gives."""
        found: set[str] = set()
        for word in node.keywords:
            if word.arg is not None:
                found.add(word.arg)
            elif self.file == "text/__init__.py":
                pass
            elif isinstance(word.value, ast.Name) and word.value.id in self.written:
                found |= self.written[word.value.id]
            else:
                self._problem(node, f"**{ast.unparse(word.value)} hides which figures are given")
        return found

    def _call(
        self,
        node: ast.Call,
        said: list[ast.expr],
        *,
        literal: bool = False,
        no_figures: Set[str] = frozenset(),
    ) -> None:
        texts: list[str] = []
        for expression in said:
            for part in _branches(expression):
                if isinstance(part, ast.Constant) and isinstance(part.value, str):
                    texts.append(part.value)
                elif isinstance(part, ast.JoinedStr) or (literal and not isinstance(part, ast.Constant)):
                    self._problem(part, "a template must stand as plain text, with its figures beside it")
        given = self._given(node) - _NO_FIGURES - no_figures
        named: set[str] = set()
        for text in filter(None, texts):
            if text.partition(HINT)[0].strip():
                self.templates.append(Template(text, f"{self.file}:{node.lineno}"))
            if given:
                try:
                    named |= set(forms(text))
                except MisfitError as misfit:
                    self._problem(node, f"{text!r}: {misfit}")
            else:
                named |= set(_FIGURE.findall(text))
        if not texts:
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


def _dictionaries(function: ast.FunctionDef) -> dict[str, set[str]]:
    """The dictionaries that a function writes out and then does nothing with but give them as ``**name``."""
    found: dict[str, set[str]] = {}
    others: Counter[str] = Counter()  # how often a name is used, but for that
    for node in ast.walk(function):
        match node:
            case ast.Name(name):
                others[name] += 1
            case ast.keyword(None, ast.Name(name)):
                others[name] -= 1
            case ast.Assign([ast.Name(name)], ast.Dict(keys)) | ast.AnnAssign(
                ast.Name(name), _, ast.Dict(keys)
            ):
                texts = {key.value for key in keys if isinstance(key, ast.Constant)}
                if len(texts) == len(keys):
                    found[name] = texts
    return {name: keys for name, keys in found.items() if others[name] == 1}


def refusals(source: Path) -> tuple[dict[tuple[str, str], set[str]], list[Template], list[str]]:
    """The figures of each refusal of `refusals.toml` by stage and name, its templates, and what is wrong."""
    file = source / "text" / "errors" / "refusals.toml"
    figures, templates, problems = {}, [], []
    for stage, kinds in (tomllib.loads(file.read_text("utf-8")) if file.exists() else {}).items():
        for kind, texts in kinds.items():
            for name, text in texts.items():
                place = f"text/errors/refusals.toml: [{stage}.{kind}] {name}"
                if kind not in _ERRORS | _written_in(source).get(stage, set()):
                    problems.append(f"{place}: there is no exception {kind}")
                if (stage, name) in figures:
                    problems.append(f"{place}: [{stage}] has this name twice")
                figures[stage, name] = set(_OF_ROW) if kind == "RowError" else set()
                for part in filter(None, parts(text)):
                    templates.append(Template(part, place))
                    try:
                        figures[stage, name] |= figures_of(part).keys()
                    except MisfitError as misfit:
                        problems.append(f"{place}: {part!r}: {misfit}")
    return figures, templates, problems


def _written_in(source: Path) -> dict[str, set[str]]:
    """The names that each module of errors defines itself."""
    found = {}
    for file in (source / "text" / "errors").glob("*.py"):
        body = ast.parse(file.read_text("utf-8")).body
        targets = [target.id for node in body if isinstance(node, ast.Assign) for target in node.targets]
        imported = [
            name.asname or name.name
            for node in body
            if isinstance(node, ast.ImportFrom)
            for name in node.names
        ]
        found[file.stem] = {
            node.name for node in body if isinstance(node, ast.FunctionDef | ast.ClassDef)
        } | {*targets, *imported}
    return found


def _declared(node: ast.expr) -> str:
    """The text in ``Refusal(SomeError, text)``, else nothing."""
    match node:
        case ast.Call(ast.Name("Refusal"), [_, ast.Constant(str(text))]):
            return text
    return ""


def _declared_figures(node: ast.expr) -> set[str] | None:
    """The figures with which ``Refusal(SomeError, text)`` is called; None for another call."""
    text = _declared(node)
    if not text:
        return None
    of_row = ast.unparse(node).startswith("Refusal(RowError")
    return {name for part in parts(text) for name in _named(part)} | (_OF_ROW if of_row else set())


def figures_of(text: str) -> dict[str, set[str]]:
    """The figures of a text, if it is a template: one without figures may have braces of its own."""
    return forms(text) if _FIGURE.search(text.partition(HINT)[0]) else {}


def _named(template: str) -> Set[str]:
    try:
        return figures_of(template).keys()
    except MisfitError:  # which the scan names with its place
        return set()


def scanned(source: Path) -> tuple[list[Template], list[str]]:
    """Every template of the source, and what is wrong with some."""
    figures, templates, problems = refusals(source)
    written = _written_in(source)
    for file in sorted(source.rglob("*.py")):
        scan = Scan(file, source, figures, written)
        scan.visit(ast.parse(file.read_text("utf-8")))
        templates += scan.templates
        problems += scan.problems
    return templates, problems


def declared() -> list[Template]:
    """The texts that are said by value: sentences of metrics, meanings of choices, profiles, separators."""
    found = [Template(text, "text/__init__.py") for text in SEPARATORS]
    found += [Template(text, "text/errors/forms.py") for text in ROLES]
    for profile in profiles().values():
        tables = (profile.without_cutoff, profile.with_cutoff, profile.refused, profile.faults)
        said = [text for table in tables for text in table.values()]
        said += [profile.further] if profile.further else []
        found += [Template(text, f"profiles: {profile.name}") for text in said]
    found += [Template(text, "metrics/classes/base.py") for text in UNDEFINED_AVERAGE.values()]
    for cls in by_name().values():
        place = f"{cls.__module__.removeprefix('steelyard.').replace('.', '/')}.py"
        texts = [*paragraphs(cls), cls().undefined_when]
        for field in dataclasses.fields(cls):
            about = field.metadata
            texts += [*about.get("meaning", {}).values(), *about.get("words", {}).values()]
            texts += [about.get("about", ""), about.get("number", "")]
        found += [Template(text, place) for text in texts if text]
    return [*found, Template(ROC.__doc__ or "", "render/explanation/rows_curves.py")]


def of_commands() -> list[Template]:
    """The help texts of the commands and of their options."""
    found = []
    for name, command in {"main": steelyard, **steelyard.commands}.items():
        context = command.context_class(command, info_name=name)
        options = [one for one in command.get_params(context) if isinstance(one, click.Option)]
        texts = [*paragraphs_of_help(command), *(option.help or "" for option in options)]
        found += [Template(text, f"cli/{name}.py") for text in texts if text]
    return found


def everything(source: Path = SOURCE) -> tuple[list[Template], list[str]]:
    """Every template that there is, and what is wrong with some."""
    templates, problems = scanned(source)
    return [*templates, *declared(), *of_commands()], problems


def missing(file: Path, templates: list[Template]) -> list[Template]:
    """What a catalogue lacks, each once; all where there is no such file yet."""
    said = tomllib.loads(file.read_text("utf-8")) if file.exists() else {}
    there = {key for section in said.values() for key in section}
    found: dict[str, Template] = {}
    for template in templates:
        if template.text not in there:
            found.setdefault(template.text, template)
    return list(found.values())


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
        if not isinstance(entries, dict):
            problems.append(f"{file.name}: {section!r} stands in no section")
            continue
        for key, text in entries.items():
            place = f"{file.name}: [{section}] {key!r}"
            if not isinstance(text, str):
                problems.append(f"{place} is no text")
                continue
            if key in said:
                problems.append(f"{place} stands twice")
            said[key] = text
            if key not in known:
                problems.append(f"{place} is no template of the source")
                continue
            problems += [place + what for what in _misfits(key, text)]
    problems += [
        f"{file.name}: lacks {template.text!r} ({template.place})"
        for text, template in known.items()
        if text not in said
    ]
    return problems


def _misfits(key: str, text: str) -> Iterator[str]:
    """What does not fit between a template and what a catalogue makes of it."""
    if not _named(key):  # a text without figures may have braces of its own
        return
    wanted = forms(key)
    try:
        found = forms(text)
        forms(key.partition(HINT)[0] + text)  # what is a number in one is no list in the other
    except MisfitError as misfit:
        yield f": {misfit}"
        return
    if extra := sorted(set(found) - set(wanted)):
        yield f" names figures that the template lacks: {', '.join(extra)}"
    if lost := sorted(_shown(wanted) - _shown(found)):
        yield f" lacks figures that the template shows: {', '.join(lost)}"


def _shown(forms_of: Mapping[str, set[str]]) -> set[str]:
    """The figures that stand there themselves; of others only a word is chosen by their number."""
    return {name for name, several in forms_of.items() if any("|" not in form for form in several)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", nargs="?", type=Path, default=SOURCE)
    parser.add_argument("--missing", metavar="LANG", help="print what a catalogue lacks, to be filled in")
    given = parser.parse_args()
    templates, problems = everything(given.source)
    if given.missing:
        for template in missing(given.source / "text" / f"{given.missing}.toml", templates):
            print(f"# {template.place}\n{json.dumps(template.text, ensure_ascii=False)} = ")
        return 0
    for catalogue in sorted((given.source / "text").glob("*.toml")):
        problems += catalogue_problems(catalogue, templates)
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
