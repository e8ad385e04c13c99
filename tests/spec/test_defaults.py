"""The edition of the defaults is data, and it is what the classes have."""

from __future__ import annotations

import dataclasses
import tomllib

import pytest

import steelyard as sy
from steelyard import spec
from steelyard.metrics import EDITION, by_name
from steelyard.spec.libraries import FOLDERS

from ..tables import each_row

SHIPPED = {name: cls for name, cls in by_name().items() if cls.__module__.startswith("steelyard.")}
BY_DATA = {"order"}  # settled by the columns there are
CLASSES = pytest.mark.parametrize("cls", SHIPPED.values(), ids=list(SHIPPED))


def fields_of(cls):
    return {field.name for field in dataclasses.fields(cls)}


@pytest.fixture(scope="module")
def edition():
    (file,) = (folder / "steelyard_2026.toml" for folder in FOLDERS if folder.name == "editions")
    return tomllib.loads(file.read_text("utf-8"))


def test_its_name_is_the_edition(edition):
    assert edition["name"] == EDITION == "steelyard:2026"
    assert edition["source"]


def test_every_default_of_a_class_is_in_the_file(edition):
    for cls in SHIPPED.values():
        stated = {**edition["conventions"], **edition["metrics"][cls.key()]}
        fields = {field.name: field.default for field in dataclasses.fields(cls) if field.name != "k"}
        assert set(fields) - set(stated) == BY_DATA & set(fields), cls.key()
        for name, default in fields.items():
            if name not in BY_DATA:
                assert getattr(cls(**{name: stated[name]}), name) == default, (cls.key(), name)
                assert getattr(cls(), name) == default, (cls.key(), name)


def test_every_default_in_the_file_is_a_field(edition):
    assert set(edition["metrics"]) == set(SHIPPED)
    shared = set()
    for name, stated in edition["metrics"].items():
        fields = fields_of(SHIPPED[name])
        assert set(stated) <= fields, name
        assert not set(stated) & set(edition["conventions"]), name
        shared |= fields
    assert set(edition["conventions"]) <= shared
    assert set(edition) == {"name", "source", "conventions", "metrics"}


def test_the_edition_in_front_changes_nothing():
    made = [cls(**({"k": 5} if cls.at != "never" else {})) for cls in SHIPPED.values()]
    assert [sy.metric(f"steelyard:2026:{metric}") for metric in made] == made


def test_the_profiles_there_are():
    files = [file.stem for folder in FOLDERS for file in folder.glob("*.toml")]
    assert {name.replace(":", "_") for name in spec.profiles()} == set(files)
    assert {"steelyard:2026", "trec_eval", "trec_eval:10"} <= set(spec.profiles())
    for name, one in spec.profiles().items():
        assert one.name == name
        assert one.source


@each_row("name", sorted(spec.profiles()))
def test_every_field_of_a_profile_is_taken(name):
    one = spec.profile(name)
    for metric, fields in one.metrics.items():
        cls = SHIPPED[metric]
        assert set(fields) <= fields_of(cls)
        plain = cls(k=5) if metric in one.with_cutoff else cls()
        made = cls(**one.fields(plain), **({"k": 5} if cls.at == "optional" else {}))
        assert made.normalised(one.fields(plain)).items() <= made.values().items()
    assert set(one.without_cutoff) | set(one.with_cutoff) <= set(one.metrics)
