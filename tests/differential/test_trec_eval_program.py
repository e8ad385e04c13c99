"""`steelyard trec_eval` against the program: its quick test, generated runs, and the program itself."""

from __future__ import annotations

import os
import random
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytrec_eval

PARAMETERS = (
    "-q -miprec_at_recall..10,.20,.25,.75,.50 -m P.5,7,3 -m recall.20,2000 -m Rprec_mult.5.0,0.2,0.35 "
    "-mutility.2,-1,0,0 -m 11pt_avg..25,.5,.75 -mndcg.1=3,2=9,4=4.5 -mndcg_cut.10,20,23.4 -msuccess.2,5,20"
)


@dataclass(frozen=True)
class Case:
    """One case of trec_eval's `make quicktest`, by its number in the data's README."""

    number: int
    flags: str
    qrels: str
    run: str
    expected: str

    def __str__(self) -> str:
        return f"case-{self.number}"


CASES = [
    Case(1, "", "qrels.test", "results.test", "out.test"),
    Case(2, "", "qrels.test.with-comments", "results.test", "out.test"),
    Case(3, "", "qrels.comment.test", "results.comment.test", "out.comment.test"),
    Case(4, "-m all_trec", "qrels.test", "results.test", "out.test.a"),
    Case(5, "-m all_trec -q", "qrels.test", "results.test", "out.test.aq"),
    Case(6, "-m all_trec -q -c", "qrels.test", "results.trunc", "out.test.aqc"),
    Case(7, "-m all_trec -q -c -M100", "qrels.test", "results.trunc", "out.test.aqcM"),
    Case(8, "-m all_trec -mrelstring.20 -q -l2", "qrels.rel_level", "results.test", "out.test.aql"),
    Case(9, "-m all_prefs -q -R prefs", "prefs.test", "prefs.results.test", "out.test.prefs"),
    Case(10, "-m all_prefs -q -R prefs", "prefs.comment.test", "prefs.results.test", "out.test.prefs"),
    Case(11, "-m all_prefs -q -R qrels_prefs", "qrels.test", "results.test", "out.test.qrels_prefs"),
    Case(12, "-m qrels_jg -q -R qrels_jg", "qrels.123", "results.test", "out.test.qrels_jg"),
    Case(13, "-m qrels_jg -q -R qrels_jg", "qrels.comments.123", "results.test", "out.test.qrels_jg"),
    Case(14, PARAMETERS, "qrels.test", "results.test", "out.test.meas_params"),
    Case(15, "-q -m all_trec -Z zscores_file", "qrels.test", "results.test", "out.test.aqZ"),
]
# there are no comments before 10, and 9.0.8 has z-scores of other runs
OF_9 = [case for case in CASES if case.number not in (2, 3, 10, 13, 15)]


@pytest.fixture
def data(shared: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = shared / "data" / "trec_eval_test"
    if not folder.is_dir():
        pytest.skip("needs ../shared/data/trec_eval_test")
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.parametrize(
    ("case", "edition"), [(case, 10) for case in CASES] + [(case, 9) for case in OF_9], ids=str
)
def test_its_own_quick_test_to_the_byte(steelyard, data, case, edition):
    done = steelyard("trec_eval", "--as", edition, *case.flags.split(), case.qrels, case.run)
    expected = data / ("." if edition == 10 else "v9.0.8_expected") / case.expected
    assert (done.code, done.err) == (0, "")
    assert done.out == expected.read_text("utf-8")


MEASURES = (
    *("num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref", "recip_rank"),
    *("iprec_at_recall", "P", "recall", "infAP", "gm_bpref", "Rprec_mult", "utility", "11pt_avg"),
    *("binG", "G", "ndcg", "ndcg_rel", "Rndcg", "ndcg_cut", "map_cut", "relative_P", "success"),
    *("set_P", "set_relative_P", "set_recall", "set_map", "set_F", "num_nonrel_judged_ret"),
)


def collection(seed: int) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """Judgements and a run: ties, scores that are one in single precision, grades below 0, short lists."""
    rng = random.Random(seed)
    highest, lowest = rng.choice([1, 3, 12]), rng.choice([0, -1])
    qrels, run = {}, {}
    for topic in rng.sample(range(300), rng.randint(2, 6)):
        documents = [f"d{one}" for one in rng.sample(range(400), rng.choice([3, 20, 120]))]
        scores = (lambda: round(rng.uniform(0, 5), 1), rng.random, lambda: 16777216.0 + rng.randint(0, 3))
        run[str(topic)] = {one: rng.choice(scores)() for one in documents if rng.random() < 0.8} or {"d": 1.0}
        others = [f"e{one}" for one in range(rng.randint(1, 9))]
        qrels[str(topic)] = {
            one: rng.choice([lowest, 0, 1, rng.randint(0, highest)])
            for one in documents + others
            if rng.random() < 0.6
        }
        qrels[str(topic)]["judged"] = 0
    return qrels, run


def written(folder: Path, seed: int) -> tuple[Path, Path]:
    """The same as files, their lines in any order."""
    qrels, run = collection(seed)
    rng = random.Random(seed)
    judged = [f"{topic} 0 {one} {grade}\n" for topic, of in qrels.items() for one, grade in of.items()]
    ranked = [
        f"{topic}\tQ0\t{one}\t1\t{score!r}\tseed{seed}\n"
        for topic, of in run.items()
        for one, score in of.items()
    ]
    paths = folder / "qrels", folder / "run"
    for path, lines in zip(paths, (judged, ranked), strict=True):
        rng.shuffle(lines)
        path.write_text("".join(lines))
    return paths


@pytest.mark.parametrize("seed", range(20))
def test_every_topic_as_pytrec_eval_has_it(steelyard, tmp_path, seed):
    qrels, run = collection(seed)
    theirs = pytrec_eval.RelevanceEvaluator(qrels, set(MEASURES)).evaluate(run)
    flags = [word for name in MEASURES for word in ("-m", name)]
    done = steelyard("trec_eval", "--as", "9", "-q", *flags, *written(tmp_path, seed))
    assert (done.code, done.err) == (0, "")
    apart = []
    for line in done.out.splitlines():
        name, topic, printed = line.split("\t")
        if topic != "all":
            value = theirs[topic][name.rstrip()]
            expected = f"{value:.0f}" if name.startswith("num_") else f"{value:6.4f}"
            if printed != expected:
                apart.append((line, expected))
    assert not apart
    assert len(done.out.splitlines()) > 80 * len(qrels)


@pytest.fixture(scope="module")
def binary() -> tuple[str, int]:
    """The program, and which edition it is."""
    path = os.environ["TREC_EVAL"]  # conftest.py leaves these tests out where it is not set
    version = subprocess.run([path, "-v"], capture_output=True, text=True, check=True).stderr.split()[-1]
    return path, int(version.split(".")[0])


FLAGS = [
    "",
    "-q",
    "-q -n -m all_trec",
    "-c -q -m all_trec -m yaap",
    "-l2 -M10 -q -m all_trec",
    "-J -m map -m P -m set",
    "-c -M5 -q -m dcg -m ideal_dcg -m rbp_resid",
    "-M2 -J -q -m dcg -m ideal_dcg -m rbp_resid",
    "-R qrels_jg -m qrels_jg -q",
    "-N1000 -q -m utility.1,2,3,4 -m G.1=2,0=1 -m Rndcg.1=3 -m ndcg_rel.2=0 -m set_F.4 -m relstring.30",
    PARAMETERS,
]
FAULTY = ("rbp ", "rbp_p")  # 10.0 scales gains by numbers that it never sets


@pytest.mark.parametrize("flags", FLAGS)
def test_the_program_itself(steelyard, binary, tmp_path, flags):
    path, edition = binary
    for seed in range(100, 115):
        files = [*map(str, written(tmp_path, seed))]
        theirs = subprocess.run([path, *flags.split(), *files], capture_output=True, text=True, check=False)
        ours = steelyard("trec_eval", "--as", edition, *flags.split(), *files)
        assert ours.code == theirs.returncode
        both = [
            [line for line in out.splitlines() if not line.startswith(FAULTY)]
            for out in (ours.out, theirs.stdout)
        ]
        assert both[0] == both[1], f"seed {seed}"


def preferences(folder: Path, seed: int) -> tuple[str, Path, Path]:
    """Preferences and a run, and their format: judges who disagree, subgroups, lines that stand twice."""
    rng = random.Random(seed)
    documents = [rng.choice(["d", "D", "é"]) + str(one) for one in range(rng.choice([2, 5, 12, 40]))]
    form, highest = rng.choice(["prefs", "prefs", "qrels_prefs"]), rng.choice([1, 2, 3, 40])
    step = rng.choice([1, 1, 0.1, 1e-9])  # the last is nothing in single precision
    judged, ranked = [], []
    for topic in rng.sample(range(200), rng.randint(1, 6)):
        scores = (lambda: rng.randint(0, 4), rng.random, lambda: 16777216 + rng.randint(0, 2))
        ranked += [
            f"{topic} Q0 {one} 0 {rng.choice(scores)()!r} x\n"
            for one in [*documents, *"uvwxyz"]
            if rng.random() < 0.7
        ] or [f"{topic} Q0 z 0 1 x\n"]
        for judge in rng.sample(["j1", "j10", "j2", "J", "z"], rng.choice([1, 1, 2, 3, 5])):
            level = {one: rng.randint(0, highest) * rng.choice([0, 1, 1]) for one in documents}
            for subgroup in "cab"[: rng.choice([1, 1, 2, 3])] if form == "prefs" else "c":
                some = rng.sample(documents, rng.randint(1, len(documents)))
                for one in [*some, *some[: rng.choice([0, 0, 0, 1])]]:
                    said = f"{subgroup} {one}" if form == "prefs" else one
                    judged.append(f"{topic} {judge} {said} {(1 + level[one] * step) * (level[one] > 0)!r}\n")
    if rng.random() < 0.2:
        ranked = [line for line in ranked if not line.startswith(judged[0].split()[0] + " ")] + [
            "777 Q0 d 0 1 x\n"
        ]
    if rng.random() < 0.1:
        judged.append(judged[0].replace("0", "1"))
    paths = folder / "prefs", folder / "run"
    for path, lines in zip(paths, (judged, ranked), strict=True):
        rng.shuffle(lines)
        path.write_text("".join(lines), "utf-8")
    return form, *paths


@pytest.mark.parametrize("flags", ["-q", "-c -q", "-c", "-q -n -M3", "-c -q -J -l2 -M10", "-c -M0"])
def test_the_preferences_of_the_program_itself(steelyard, binary, tmp_path, flags):
    path, edition = binary
    for seed in range(100, 130):
        form, *files = preferences(tmp_path, seed)
        arguments = ["-R", form, "-m", "all_prefs", *flags.split(), *map(str, files)]
        theirs = subprocess.run([path, *arguments], capture_output=True, text=True, check=False)
        if edition == 10 and "not found in qrels" in theirs.stderr:
            continue  # 10.0 stops at a judged topic that the run lacks
        ours = steelyard("trec_eval", "--as", edition, *arguments)
        assert (ours.code, ours.out) == (theirs.returncode, theirs.stdout), f"seed {seed}"


STOPS = (
    *("-x qrels run", "--nosuch", "qrels", "qrels run more", "-m", "-v", "-m maps qrels run"),
    *("-m P.0 qrels run", "-m P. qrels run", "-m ndcg.1 qrels run", "-R nosuch qrels run"),
    *("-T nosuch qrels run", "-Z nosuch qrels run", "nosuch run", "qrels nosuch", "run qrels"),
    *("-R prefs -m prefs qrels run", "-m prefs qrels run", "-R qrels_prefs -m map qrels run"),
    *("-R qrels_prefs -m num_q qrels run", "-R qrels_prefs -m prefs judged run"),
    *("-q -R qrels_prefs -m prefs qrels twice", "-R qrels_prefs -m prefs_simp contrary run"),
    *("-m map_avgjg qrels run", "-R qrels_jg qrels run", "-R qrels_jg -m qrels_jg judged run"),
    *("qrels twice", "-q -m map qrels twice", "judged run", "qrels other"),
)


@pytest.mark.parametrize("arguments", STOPS)
def test_it_stops_as_the_program_does(steelyard, binary, tmp_path, monkeypatch, arguments):
    """The exit code and standard output are the same; what is said on stderr is said in our words."""
    path, edition = binary
    monkeypatch.chdir(tmp_path)
    written(tmp_path, 1)
    for name, source in {"twice": "run", "judged": "qrels"}.items():
        lines = Path(source).read_text().splitlines(keepends=True)
        Path(name).write_text("".join([*lines, max(lines)]))
    Path("other").write_text("nosuch Q0 a 1 1 x\n")
    Path("contrary").write_text(Path("judged").read_text() + max(lines).rsplit(" ", 1)[0] + " 99\n")
    theirs = subprocess.run([path, *arguments.split()], capture_output=True, text=True, check=False)
    if (edition, arguments) == (10, "qrels other"):
        pytest.skip("10.0 stops at the first judged topic that the run lacks")
    ours = steelyard("trec_eval", "--as", edition, *arguments.split())
    assert (ours.code, ours.out) == (theirs.returncode, theirs.stdout)
    assert bool(ours.err) == bool(theirs.stderr)
