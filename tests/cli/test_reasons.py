"""Why the system or a parser refused, told in the language of the command."""

from __future__ import annotations

import errno
import os

import pytest

from steelyard.text.errors.forms import reason_of

USUAL = [
    "ENOENT",
    "EACCES",
    "EPERM",
    "EISDIR",
    "ENOTDIR",
    "ENOSPC",
    "EROFS",
    "ENAMETOOLONG",
    "EMFILE",
    "ELOOP",
    "EIO",
]


@pytest.mark.parametrize("name", USUAL)
def test_english_is_what_the_system_says(name: str) -> None:
    number = getattr(errno, name)
    said = reason_of(OSError(number, "in any words"))
    assert said == os.strerror(number)
    assert said.render("zh").isascii() is False  # type: ignore[attr-defined]


def test_other_reasons_are_told_as_the_system_tells_them() -> None:
    assert reason_of(OSError(errno.EDEADLK, "Resource deadlock avoided")) == "Resource deadlock avoided"


def evaluated(*arguments: str) -> tuple[str, ...]:
    return ("evaluate", "run.csv", "--truth", "truth.csv", "-m", "mrr@10", *arguments)


def test_an_output_that_the_system_refuses(steelyard, folder):
    name = "x" * 300 + ".json"
    assert f"cannot write {name}: File name too long\n" in steelyard(*evaluated("-o", name)).err
    done = steelyard(*evaluated("-o", name, "--lang", "zh"))
    assert done.err.splitlines()[0] == f"错误：无法写入 {name}：文件名过长"


def test_a_folder_for_the_demonstration_that_the_system_refuses(steelyard, folder):
    done = steelyard("demo", "run.csv/demo", "--lang", "zh")
    assert done.err.splitlines() == [
        "错误：无法写入 run.csv/demo：路径中有一段不是文件夹",
        "      请指定一个有写权限的文件夹",
    ]


def test_a_run_file_that_is_not_there(steelyard, folder):
    done = steelyard(*evaluated("--run-file", "none.toml", "--lang", "zh"))
    assert done.err.splitlines()[0] == "错误：无法读取运行文件 none.toml：文件或文件夹不存在"


@pytest.mark.parametrize(
    ("content", "english", "chinese"),
    [
        (b"metric =", "Invalid value (at end of document)", "文件末尾有误：Invalid value"),
        (b"a = 1\nb = !", "Invalid value (at line 2, column 5)", "第 2 行第 5 列有误：Invalid value"),
        (b"a = '\xff'", "it is not UTF-8 text", "它不是 UTF-8 文本"),
    ],
)
def test_a_run_file_that_is_no_toml(steelyard, folder, content, english, chinese):
    (folder / "run.toml").write_bytes(content)
    said = steelyard(*evaluated("--run-file", "run.toml")).err.splitlines()[0]
    assert said == f"error: cannot read the run file run.toml: {english}"
    said = steelyard(*evaluated("--run-file", "run.toml", "--lang", "zh")).err.splitlines()[0]
    assert said == f"错误：无法读取运行文件 run.toml：{chinese}"


def test_a_line_that_is_no_json(steelyard, folder):
    (folder / "run.jsonl").write_text('{"query": "q1", "item": "a", "score": 1}\n{query\n')
    arguments = ("evaluate", "run.jsonl", "--truth", "truth.csv", "-m", "mrr@10")
    words = "Expecting property name enclosed in double quotes"
    assert steelyard(*arguments).err.splitlines()[0] == (
        f"error: run.jsonl, line 2: not a JSON object ({words}: line 1 column 2 (char 1))"
    )
    said = steelyard(*arguments, "--lang", "zh").err.splitlines()[0]
    assert f"第 1 行第 2 列，即第 1 个字符（从 0 数起）有误：{words}" in said
