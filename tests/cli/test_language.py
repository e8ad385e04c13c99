"""The command line in other languages: `--lang`, a run file, the locale."""

from __future__ import annotations

import re

import click
import pytest

from steelyard.cli.main import steelyard as program
from steelyard.cli.options import Context, Speech, paragraphs
from steelyard.render import catalogue
from steelyard.text.errors import SteelyardError

from ..once import copy
from ..tables import each_row
from ..third_language import outside

_OPTION = re.compile(r"(-\w, )?--[\w-]+( \S+)?")
BASE = ("evaluate", "run.csv", "--truth", "truth.csv", "-m", "mrr")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("evaluate", "--nosuch"), "没有 '--nosuch' 这个选项\n      见 `steelyard evaluate --help`\n"),
        (
            ("evaluate", "--trut", "x"),
            "没有 '--trut' 这个选项；是否想写 '--chart'、'--truth' 或 '--unit'？\n"
            "      见 `steelyard evaluate --help`\n",
        ),
        (("evalute",), "没有 'evalute' 这个命令；是否想写 'evaluate'？\n      见 `steelyard --help`\n"),
        (("evaluate",), "请给出预测文件\n      见 `steelyard evaluate --help`\n"),
        (("explain",), "缺少参数 'METRIC'。\n      见 `steelyard explain --help`\n"),
        (("metrics", "a", "b", "c"), "多余的参数（b c）\n      见 `steelyard metrics --help`\n"),
        (("metrics", "--task"), "选项 '--task' 需要一个值。\n"),
        (("metrics", "--help=x"), "选项 '--help' 不带值。\n"),
        (
            ("explain", "auc", "--format", "x"),
            "'--format' 的值无效：'x' 不是 'table'、'markdown'、'html' 之一。\n"
            "      见 `steelyard explain --help`\n",
        ),
    ],
)
def test_mistakes_in_using_a_command(steelyard, monkeypatch, arguments, said):
    monkeypatch.setenv("LC_MESSAGES", "zh_CN.UTF-8")
    done = steelyard(*arguments)
    assert (done.code, done.out, done.err) == (2, "", f"错误：{said}")


@each_row(
    ("arguments", "said"),
    [
        (("evaluate", "--nosuch"), "No such option '--nosuch'"),
        (
            ("evaluate", "--trutt"),
            "No such option '--trutt'; did you mean '--output', '--truth' or '--unit'?",
        ),
        (("evalute",), "No such command 'evalute'; did you mean 'evaluate'?"),
        (("explain",), "Missing argument 'METRIC'."),
        (("metrics", "a", "b"), "Got unexpected extra argument (b)"),
        (("metrics", "a", "b", "//", "c"), "Got unexpected extra arguments (b // c)"),
        (("metrics", "--task"), "Option '--task' requires an argument."),
        (("--version=x",), "Option '--version' does not take a value."),
        (
            ("explain", "auc", "--format", "x"),
            "Invalid value for '--format': 'x' is not one of 'table', 'markdown', 'html'.",
        ),
    ],
)
def test_they_are_told_in_english(steelyard, arguments, said):
    done = steelyard(*arguments)
    assert (done.code, done.err.splitlines()[0]) == (2, f"error: {said}")


def test_errors_are_told_in_the_language(steelyard, monkeypatch):
    def refuse(*_):
        raise SteelyardError("written: {path}", remedy="name the predictions", path="a\x1bb")

    monkeypatch.setattr(catalogue, "list_metrics", refuse)
    done = steelyard("metrics", "--lang", "zh")
    assert (done.code, done.out) == (2, "")
    assert done.err == "错误：已写入：a\\u001bb\n      请给出预测文件\n"


@pytest.mark.parametrize("arguments", [("--lang", "fr"), ("--lang=fr",), ("--lang", "zh", "--lang", "fr")])
@pytest.mark.parametrize("before", [("metrics",), ("evaluate", "absent.csv", "-m", "mrr"), ("demo",), ()])
def test_an_unknown_language_is_refused_before_anything_is_read(steelyard, before, arguments, folder):
    done = steelyard(*before, *arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err == "error: unknown language 'fr'\n       known: en, zh\n"
    assert sorted(path.name for path in folder.iterdir()) == ["run.csv", "truth.csv"]


def test_an_unknown_language_of_a_run_file(steelyard, folder):
    (folder / "run.toml").write_text('predictions = "absent.csv"\nmetric = "mrr"\nlang = "fr"\n')
    assert "unknown language 'fr'" in steelyard("evaluate", "--run-file", "run.toml").err


@pytest.mark.parametrize(
    ("before", "after", "lang"),
    [
        ((), (), "zh"),
        ((), ("--lang", "en"), "en"),
        (("--lang", "en"), (), "en"),
        (("--lang", "en"), ("--lang", "zh"), "zh"),
    ],
)
def test_the_command_line_wins_over_a_run_file(steelyard, folder, before, after, lang):
    (folder / "run.toml").write_text('lang = "zh"\n')
    done = steelyard(*before, *BASE, "-o", "out.csv", "--run-file", "run.toml", *after)
    assert done.code == 0, done.err
    assert done.err.splitlines()[-1] == {"en": "written: out.csv", "zh": "已写入：out.csv"}[lang]


@pytest.mark.parametrize("variable", ["LC_ALL", "LC_MESSAGES", "LANG"])
def test_without_it_the_locale_says_the_language(steelyard, monkeypatch, variable):
    monkeypatch.delenv("LC_MESSAGES")
    monkeypatch.setenv(variable, "zh_CN.UTF-8")
    assert steelyard("metrics").out.startswith("排序指标\n")
    assert steelyard("metrics", "--lang", "en").out.startswith("rankings\n")
    assert steelyard("--lang", "en", "metrics").out.startswith("rankings\n")


@each_row("command", [program, *program.commands.values()], ids=lambda command: command.name)
def test_help_is_told_whole(steelyard, command):
    name = () if command is program else (command.name,)
    done = steelyard(*name, "--help", "--lang", "zh")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("用法：steelyard")
    assert "\n选项：\n" in done.out
    options = [one for one in command.get_params(Context(command)) if isinstance(one, click.Option)]
    english = [*paragraphs(command), *(option.help for option in options if not option.hidden)]
    assert len(english) > 3
    shown = " ".join(done.out.split())
    assert [text for text in english if text in shown] == []


def test_help_in_chinese_fits_the_terminal(steelyard, monkeypatch):
    from rich.cells import cell_len

    monkeypatch.setenv("COLUMNS", "70")
    lines = steelyard("evaluate", "--help", "--lang", "zh").out.splitlines()
    assert "  --by COLUMN                     按此列分组；可重复，此时交叉分组。" in lines
    assert [line for line in lines if cell_len(line) > 70 and "steelyard evaluate" not in line] == [
        "  --ties [item_desc|item_asc|given|expected|optimistic|pessimistic|last|error]"
    ]
    assert not [line for line in lines if line.strip().startswith(("，", "。", "；", "、", "）"))]


def test_the_demonstration_speaks_it(demonstration, steelyard, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    # files of its own are known as such, whatever the language
    copy(demonstration / "a shop", tmp_path / "shop")
    english = (tmp_path / "shop/README.txt").read_text("utf-8")
    done = steelyard("demo", "shop", "--lang", "zh")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0].startswith("一个模拟的小型电影网站：600 个用户、400 部影片、")
    assert lines[0].endswith(" 条评级、三个推荐系统。12 个文件已写入 shop。")
    assert lines[-1] == "以上内容连同图表都在一个网页中：请用浏览器打开 shop/report.html。"
    readme = (tmp_path / "shop/README.txt").read_text("utf-8")
    assert readme.startswith("一个小型电影网站，由 `steelyard demo` 模拟：这些文件中的人都不存在。\n")
    assert commands(readme) == commands(english) != []


def commands(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("  steelyard ")]


def test_another_language_is_one_file(steelyard, monkeypatch, third_language):
    said = steelyard("evaluate", "--lang", third_language).err
    assert said.startswith("⟦error: ⟧⟦name the predictions⟧\n")
    assert steelyard("metrics", "--lang", third_language).out.startswith("⟦rankings⟧\n")
    assert steelyard("--help", "--lang", third_language).out.startswith("⟦Usage: ⟧steelyard")
    monkeypatch.setenv("LC_MESSAGES", f"{third_language}_XX.UTF-8")
    assert steelyard("evaluate").err == said
    assert "en⟦, ⟧xx⟦, ⟧zh" in steelyard("metrics", "--lang", "fr").err


@each_row("command", [program, *program.commands.values()], ids=lambda command: command.name)
def test_help_in_another_language_is_told_whole(steelyard, third_language, command):
    name = () if command is program else (command.name,)
    done = steelyard(*name, "--help", "--lang", third_language)
    usage, *lines = filter(None, map(str.strip, outside(done.out).splitlines()))
    assert usage.startswith("steelyard")
    names = [line for line in lines if not line.startswith("steelyard ")]  # which are examples
    assert len(names) > 1
    assert [line for line in names if not _OPTION.fullmatch(line) and line not in program.commands] == []


@each_row(
    ("arguments", "lang", "stated"),
    [
        ([], "en", False),
        (["metrics", "--lang", "zh"], "zh", True),
        (["--lang=zh", "metrics", "--lang", "en"], "en", True),
        (["--lang", "en", "--lang=zh"], "zh", True),
        (["--lang"], "en", False),
        (["--lang", "fr"], "en", False),
    ],
)
def test_it_is_known_before_the_arguments_are_understood(arguments, lang, stated):
    assert Speech.of(arguments) == Speech(lang, stated)


def test_a_mistake_in_a_run_file_is_told_in_its_language(steelyard, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run.toml").write_text('metrik = ["mrr"]\nlang = "zh"\n', "utf-8")
    done = steelyard("evaluate", "run.csv", "--run-file", "run.toml")
    assert done.err.startswith("错误：run.toml 中的键 'metrik' 不是选项；是否想写 'metric'？\n")
    english = steelyard("evaluate", "run.csv", "--run-file", "run.toml", "--lang", "en")
    assert english.err.startswith("error: run.toml has a key 'metrik' that is no option")
