"""The film shop on disk: complete, the same in both forms, and never half-written."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from steelyard.demo import Shop, simulate, write
from steelyard.text.errors.base import OutputError

NAMES = ["popular", "neighbours", "taste"]
FILES = {"README.txt", "clicks.parquet", "films.parquet", "qrels.txt", "seen.parquet", "truth.parquet"} | {
    f"runs/{name}.{form}" for name in NAMES for form in ("parquet", "run")
}


@pytest.fixture(scope="module")
def shop() -> Shop:
    return simulate()


@pytest.fixture(scope="module")
def folder(shop: Shop, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo") / "a new" / "folder"
    write(shop, folder)
    return folder


def files(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def lines(path: Path) -> list[list[str]]:
    return [line.split(" ") for line in path.read_text(encoding="utf-8").splitlines()]


def test_writes_these_files_and_no_other(shop: Shop, tmp_path: Path) -> None:
    paths = write(shop, tmp_path)
    assert FILES == {path.relative_to(tmp_path).as_posix() for path in paths} == files(tmp_path)


def test_parquet_holds_the_tables(shop: Shop, folder: Path) -> None:
    tables = {"clicks": shop.clicks, "films": shop.films, "seen": shop.seen, "truth": shop.truth}
    for name, table in tables.items():
        assert pl.read_parquet(folder / f"{name}.parquet").equals(table), name
    for name, run in shop.runs.items():
        assert pl.read_parquet(folder / "runs" / f"{name}.parquet").equals(run), name


def test_qrels_hold_the_truth(shop: Shop, folder: Path) -> None:
    rows = [(user, film, int(grade)) for user, _, film, grade in lines(folder / "qrels.txt")]
    assert rows == shop.truth.select("user_id", "film_id", "relevance").rows()


@pytest.mark.parametrize("name", NAMES)
def test_trec_run_holds_the_run_to_the_last_digit(shop: Shop, folder: Path, name: str) -> None:
    fields = lines(folder / "runs" / f"{name}.run")
    assert [(user, film, float(score)) for user, _, film, _, score, _ in fields] == shop.runs[name].rows()
    assert {(q0, tag) for _, q0, _, _, _, tag in fields} == {("Q0", name)}


@pytest.mark.parametrize("name", NAMES)
def test_trec_places_count_from_one_in_each_list(folder: Path, name: str) -> None:
    places: dict[str, list[int]] = {}
    for user, _, _, place, _, _ in lines(folder / "runs" / f"{name}.run"):
        places.setdefault(user, []).append(int(place))
    assert all(list(range(1, len(found) + 1)) == found for found in places.values())


def test_readme_names_every_table(folder: Path) -> None:
    text = (folder / "README.txt").read_text(encoding="utf-8")
    assert all(name in text for name in FILES if name.endswith(".parquet"))
    assert max(map(len, text.splitlines())) <= 110


def test_writing_again_gives_the_same_bytes(shop: Shop, folder: Path) -> None:
    before = {name: (folder / name).read_bytes() for name in FILES}
    write(shop, folder)
    assert before == {name: (folder / name).read_bytes() for name in FILES}
    assert files(folder) == FILES


def test_a_file_where_the_folder_should_be(shop: Shop, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("mine")
    with pytest.raises(OutputError, match=r"taken' is a file, not a folder") as caught:
        write(shop, tmp_path / "taken")
    assert caught.value.remedy
    assert (tmp_path / "taken").read_text() == "mine"


def test_a_folder_that_cannot_be_created(shop: Shop, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("mine")
    with pytest.raises(OutputError, match="cannot write .*demo: Not a directory") as caught:
        write(shop, tmp_path / "taken" / "demo")
    assert caught.value.remedy


def test_a_file_that_cannot_be_replaced(shop: Shop, tmp_path: Path) -> None:
    write(shop, tmp_path)
    (tmp_path / "qrels.txt").unlink()
    (tmp_path / "qrels.txt").mkdir()
    with pytest.raises(OutputError, match=r"qrels\.txt.* is a folder") as caught:
        write(shop, tmp_path)
    assert caught.value.remedy
    assert not list(tmp_path.rglob("*.tmp"))


def test_a_folder_that_cannot_be_written(shop: Shop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Root may write anywhere, so the refusal is played."""

    def refuse(self: Path, mode: int, exist_ok: bool) -> None:
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "touch", refuse)
    with pytest.raises(OutputError, match=r"cannot write .*README\.txt: Permission denied"):
        write(shop, tmp_path)
    assert files(tmp_path) == set()


@pytest.mark.parametrize("name", ["README.txt", "truth.parquet", "runs/taste.run"])
def test_files_of_others_are_never_replaced(shop: Shop, tmp_path: Path, name: str) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("mine")
    with pytest.raises(
        OutputError, match="is there already, and `steelyard demo` did not write it"
    ) as caught:
        write(shop, tmp_path)
    assert str(tmp_path / name) in caught.value.message
    assert caught.value.remedy == "name an empty folder"
    assert (tmp_path / name).read_text() == "mine"
    assert files(tmp_path) == {name}


def test_files_of_other_names_do_not_matter(shop: Shop, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    write(shop, tmp_path)
    assert files(tmp_path) == FILES | {"notes.txt"}


def test_a_demonstration_that_was_cut_short_can_be_run_again(
    shop: Shop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace = Path.replace

    def stop(self: Path, target: Path) -> Path:
        if target.name == "seen.parquet":
            raise KeyboardInterrupt
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", stop)
    with pytest.raises(KeyboardInterrupt):
        write(shop, tmp_path)
    monkeypatch.undo()
    assert files(tmp_path) == {"README.txt", "truth.parquet"}
    write(shop, tmp_path)
    assert files(tmp_path) == FILES
