"""Lists as a whole against RecTools, RePlay, Recommenders and Evidently, each called live.

They want other versions of NumPy and pandas than this project, so each runs in a process of its own, in the
environment that `tools/peers.sh` makes. Where a definition of theirs is not sound, or another one than ours,
`docs/guide/lists_elsewhere.md` says how, with these numbers.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import steelyard as sy

pytestmark = pytest.mark.peers
PEERS = Path("build", "peers")
SCRIPT = Path(__file__).with_name("list_peers.py")
SEEDS = range(6)
TOLERANCE = 1e-9
K = 5


def made(seed, *, tidy):
    """Lists and what is known besides; ``tidy`` is what every peer can take.

    Tidy lists have k items or more, nothing their user had and nothing that nobody had. The others are often
    shorter and hold items that nobody had or that their users had, some of these twice; users lack a history.
    """
    random = np.random.default_rng(seed)
    items, users = np.arange(1, 41), np.arange(100, 130)
    known = items if tidy else items[:30]
    weight = 1 / np.arange(1, len(known) + 1)
    history = []
    for user in users if tidy else users[:25]:
        n = random.integers(2, 9)
        had = random.choice(known, n, replace=False, p=weight / weight.sum())
        again = [] if tidy else random.choice(had, 2)
        history += [[int(user), int(item)] for item in (*had, *again)]
    seen = sorted({item for _, item in history})
    recs, usual, truth = [], [], []
    for user in users:
        own = {item for one, item in history if one == user}
        open_to = [item for item in seen if item not in own] if tidy else items.tolist()
        n = K + random.integers(0, 4) if tidy else random.integers(1, K + 4)
        recs.append([int(user), random.permutation(open_to)[:n].tolist()])
        usual.append([int(user), random.permutation(seen)[: K + random.integers(0, 4)].tolist()])
        truth += [[int(user), int(item)] for item in random.permutation(items)[:8]]
    truth += [] if tidy else [[200, 1], [200, 2], [201, 1]]  # users without a list
    features = random.integers(0, 3, (len(items), 6)).astype(float)
    features[:, 0] = np.where(features.any(axis=1), features[:, 0], 1.0)
    return {
        "k": K,
        "recs": recs,
        "baseline_lists": usual if tidy else usual[:-3],
        "history": history,
        "truth": truth,
        "features": [[int(item), row.tolist()] for item, row in zip(items, features, strict=True)],
        "catalog": items.tolist(),
    }


def distinct(case):
    """The same lists in a shop of 20 items, of which number n was had by n users."""
    items = case["catalog"][:20]
    history = [[1000 + user, item] for at, item in enumerate(items) for user in range(at + 1)]
    recs = [[user, [item for item in shown if item in items] or items[3:4]] for user, shown in case["recs"]]
    return case | {"history": history, "catalog": items, "recs": recs}


def shown_on_the_page(k, recs, history, *, features=None, catalog=None, truth=(), baseline_lists=None):
    items = sorted({item for _, shown in recs for item in shown} | {item for _, item in history})
    return {
        "k": k,
        "recs": recs,
        "baseline_lists": baseline_lists or recs,
        "history": history,
        "truth": [list(pair) for pair in truth],
        "features": features or [[item, [1.0, float(item)]] for item in items],
        "catalog": catalog or items,
    }


# The examples of docs/guide/lists_elsewhere.md and docs/metrics/personalization.md.
ALIKE = [[item, [1.0, 0.0]] for item in (1, 2, 3)]
APART = [[item, [float(item == other) for other in (1, 2, 3, 4)]] for item in (1, 2, 3, 4)]
PAGE = {
    "outside": shown_on_the_page(3, [[1, [1, 2, 3]]], [[8, 1], [9, 2]], catalog=[1, 2]),
    "unknown": shown_on_the_page(2, [[5, [1, 9]]], [[1, 1], [2, 1], [3, 1], [4, 1], [1, 2]]),
    "short": shown_on_the_page(2, [[1, [3]], [2, [4]]], [[6, 3], [7, 4], [8, 5], [9, 5]]),
    "uneven": shown_on_the_page(2, [[1, [1, 2]], [2, [1]]], [[8, 1], [9, 2]]),
    "apart": shown_on_the_page(4, [[1, [1, 2, 3, 4]], [2, [1]]], [[9, 1], [8, 2]], features=APART),
    "alike": shown_on_the_page(
        2, [[1, [2, 3]]], [[1, 1], [9, 2], [9, 3]], features=ALIKE, truth=[(1, 2), (1, 3)]
    ),
    "even": shown_on_the_page(2, [[1, [1, 2]], [2, [1, 2]]], [[8, 1], [8, 2], [9, 3], [9, 4]]),
}
TIDY = [made(seed, tidy=True) for seed in SEEDS]
UNTIDY = [made(100 + seed, tidy=False) for seed in SEEDS]
DISTINCT = [distinct(case) for case in TIDY]
EVERY = [*TIDY, *UNTIDY, *DISTINCT, *PAGE.values()]


@pytest.fixture(scope="module")
def answers(root, tmp_path_factory):
    """What a peer says of some of the cases, each with its case; it runs once, for all of them."""
    folder, known = tmp_path_factory.mktemp("peers"), {}
    (folder / "cases").write_text(json.dumps(EVERY), encoding="utf-8")
    quiet = {"PYTHONWARNINGS": "ignore", "DO_NOT_TRACK": "1"}

    def ask(peer, cases):
        if peer not in known:
            python = PEERS / peer / "bin" / "python"
            if not (root / python).exists():
                if os.environ.get("CI") == "true":
                    pytest.fail(f"{python} is missing: tools/peers.sh installs the peers")
                pytest.skip(f"needs {python} (make test-all makes it)")
            command = [root / python, SCRIPT, peer, folder / "cases", folder / peer]
            done = subprocess.run(
                command, capture_output=True, text=True, env=os.environ | quiet, check=False, cwd=folder
            )
            assert done.returncode == 0, done.stderr
            known[peer] = json.loads((folder / peer).read_text(encoding="utf-8"))
        return [(case, answer) for case, answer in zip(EVERY, known[peer], strict=True) if case in cases]

    return ask


def seen(case):
    """The items of the history: what the peers that have no catalogue take for one."""
    return sorted({item for _, item in case["history"]})


def ours(case, metric, **tables):
    """Our result for a case; a table is the case's own unless given."""
    known = {
        "catalog": case["catalog"],
        "features": dict(case["features"]),
        "history": rows(case["history"]),
        "baseline_lists": dict(case["baseline_lists"]),
    }
    truth = rows(case["truth"]) if case["truth"] else None
    return sy.evaluate(dict(case["recs"]), truth, metric, **(known | tables))


def rows(pairs):
    return pl.DataFrame(pairs, schema=["query", "item"], orient="row")


def by_user(result):
    return {user: value for user, _, value in result.per_query().iter_rows()}


def assert_users(mine, theirs, *, undefined=None):
    """The same number for each user; ``undefined`` is what the peer says where ours is NaN."""
    peer = dict(theirs)
    assert len(peer) == len(theirs)
    for user, value in mine.items():
        if math.isnan(value):
            assert peer.get(user, undefined) == undefined, user
        else:
            assert value == pytest.approx(peer[user], rel=0, abs=TOLERANCE), user
    assert sum(not math.isnan(value) for value in mine.values()) > 10


def near(value):
    return pytest.approx(value, rel=0, abs=TOLERANCE)


# RecTools


@pytest.mark.parametrize("cases", [TIDY, UNTIDY], ids=["tidy", "untidy"])
def test_rectools(answers, cases):
    for case, peer in answers("rectools", cases):
        result = ours(case, [f"coverage@{K}", f"user_coverage@{K}"])
        assert result[f"coverage@{K}"] == near(peer["CatalogCoverage"])
        assert result[f"user_coverage@{K}"] == near(peer["CoveredUsers"])
        assert_users(by_user(ours(case, f"novelty@{K}")), peer["MeanInvUserFreq"])
        assert_users(by_user(ours(case, f"popularity@{K}")), peer["AvgRecPopularity"])
        assert_users(by_user(ours(case, f"popularity(scale=share)@{K}")), peer["AvgRecPopularity(normalize)"])


@pytest.mark.parametrize("cases", [TIDY, UNTIDY], ids=["tidy", "untidy"])
def test_rectools_diversity(answers, cases):
    """RecTools has 0 for a list of one item; its hamming is how many features differ, ours what share."""
    for case, peer in answers("rectools", cases):
        assert_users(by_user(ours(case, f"diversity@{K}")), peer["IntraListDiversity(cosine)"], undefined=0)
        width = len(case["features"][0][1])
        shares = [[user, value / width] for user, value in peer["IntraListDiversity(hamming)"]]
        assert_users(by_user(ours(case, f"diversity(distance=hamming)@{K}")), shares, undefined=0)


@pytest.mark.parametrize("cases", [TIDY, UNTIDY], ids=["tidy", "untidy"])
def test_rectools_intersection(answers, cases):
    """What is not unexpected; of a user without a baseline list RecTools says that nothing is usual."""
    for case, peer in answers("rectools", cases):
        unexpected = [[user, 1 - value] for user, value in peer["Intersection"]]
        assert_users(by_user(ours(case, f"unexpectedness@{K}")), unexpected, undefined=1)


def test_rectools_serendipity_of_one_item(answers):
    """At rank 1 its surprise is ours, where no two items are equally popular and none is unknown."""
    for case, peer in answers("rectools", DISTINCT):
        mine = by_user(ours(case, "serendipity@1"))
        assert_users(mine, peer["Serendipity@1"])
        assert any(mine.values())


# RePlay


@pytest.mark.parametrize("kind", ["pandas", "polars", "dict"])
@pytest.mark.parametrize("cases", [TIDY, UNTIDY], ids=["tidy", "untidy"])
def test_replay(answers, cases, kind):
    """Its novelty is of the users in the history alone; one who has no list there has 1."""
    for case, peer in answers("replay", cases):
        result = ours(case, f"coverage@{K}", catalog=seen(case))
        assert result[f"coverage@{K}"] == near(peer[f"Coverage, {kind}"])
        fresh = dict(peer[f"Novelty, {kind}"])
        repeated = by_user(ours(case, f"repetition@{K}"))
        assert {user for user, value in repeated.items() if value > 0} <= fresh.keys()
        for user, value in fresh.items():
            assert repeated[user] == near(1 - value), user


@pytest.mark.parametrize("kind", ["pandas", "polars", "dict"])
def test_replay_of_full_lists(answers, kind):
    """Surprisal and unexpectedness are divided by k, however short a list is."""
    for case, peer in answers("replay", TIDY):
        mine = by_user(ours(case, f"novelty(normalise=true)@{K}"))
        assert_users(mine, peer[f"Surprisal, {kind}"])
        assert_users(by_user(ours(case, f"unexpectedness@{K}")), peer[f"Unexpectedness, {kind}"])


def test_replay_of_short_lists(answers):
    """The same sums: divided by k instead of the n items of a list, ours times n / k."""
    for case, peer in answers("replay", UNTIDY):
        length = {user: min(K, len(shown)) for user, shown in case["recs"]}
        assert min(length.values()) < K
        mine = by_user(ours(case, f"novelty(normalise=true)@{K}"))
        for user, value in peer["Surprisal, polars"]:
            assert mine[user] * length[user] / K == near(value), user
        mine = by_user(ours(case, f"unexpectedness@{K}"))
        for user, value in peer["Unexpectedness, polars"]:
            if math.isnan(mine[user]):
                assert value == 0
            else:
                assert 1 - (1 - mine[user]) * length[user] / K == near(value), user


# Recommenders


def test_recommenders(answers):
    for case, peer in answers("recommenders", TIDY):
        result = ours(case, [f"coverage@{K}", f"entropy(base=2)@{K}", f"novelty@{K}"], catalog=seen(case))
        assert result[f"coverage@{K}"] == near(peer["catalog_coverage"])
        assert result[f"entropy(base=2)@{K}"] == near(peer["distributional_coverage"])
        # it takes the share of all interactions, ours that of all users
        users = len({user for user, _ in case["history"]})
        assert result[f"novelty@{K}"] == near(peer["novelty"] - math.log2(len(case["history"]) / users))


def test_recommenders_features(answers):
    for case, peer in answers("recommenders", TIDY):
        assert_users(by_user(ours(case, f"diversity@{K}")), peer["user_diversity"])
        far = by_user(ours(case, f"serendipity(surprise=distance)@{K}"))
        assert_users(far, peer["user_serendipity"])
        assert any(far.values())
        against = by_user(ours(case, f"unexpectedness(against=history)@{K}"))
        assert_users(against, peer["user_serendipity(all relevant)"])


# Evidently


def test_evidently(answers):
    for case, peer in answers("evidently", TIDY):
        names = ["personalization", "novelty(unseen=drop)", "popularity", "coverage", "diversity"]
        result = ours(case, [f"{name}@{K}" for name in names], catalog=seen(case))
        personal, novel, popular, covered, diverse = (value for _, value in result.items())
        assert personal == near(peer["Personalization"])
        assert novel == near(peer["Novelty"])
        assert popular == near(peer["popularity"])
        assert covered == near(peer["coverage"])
        # the distances of all k (k - 1) / 2 pairs divided by k
        assert diverse * (K - 1) / 2 == near(peer["Diversity"])


@pytest.mark.parametrize("cases", [TIDY, UNTIDY], ids=["tidy", "untidy"])
def test_evidently_gini(answers, cases):
    """It knows the items shown alone, and divides by n - 1 of them."""
    for case, peer in answers("evidently", cases):
        shown = sorted({item for _, one in case["recs"] for item in one[:K]})
        gini = ours(case, f"gini@{K}", catalog=shown)[f"gini@{K}"]
        assert gini * len(shown) / (len(shown) - 1) == near(peer["gini"])


def test_evidently_of_untidy_lists(answers):
    for case, peer in answers("evidently", UNTIDY):
        result = ours(case, f"novelty(unseen=drop)@{K}")
        assert result[f"novelty(unseen=drop)@{K}"] == near(peer["Novelty"])
        covered = ours(case, f"coverage@{K}", catalog=seen(case))[f"coverage@{K}"]
        assert covered == near(peer["coverage"])


# What the page says of them


PAGE_SAYS = {
    "outside": {
        "coverage": 2 / 2,
        "rectools CatalogCoverage": 3 / 2,
        "recommenders catalog_coverage": 3 / 2,
        "replay Coverage, polars": 2 / 2,
        "evidently coverage": 2 / 2,
    },
    "unknown": {
        "novelty": (0 + 2) / 2,
        "novelty(unseen=drop)": 0.0,
        "novelty(normalise=true)": (0 + 1) / 2,
        "rectools MeanInvUserFreq": (0 + 2) / 2,
        "evidently Novelty": 0.0,
        "replay Surprisal, polars": (0 + 1) / 2,
        "recommenders novelty": -math.log2(4 / 5) / 2,
    },
    "short": {
        "personalization": 1.0,
        "novelty(normalise=true)": 1.0,
        "unexpectedness": 0.0,
        "evidently Personalization": 3 / 2,
        "replay Surprisal, polars": 1 / 2,
        "replay Unexpectedness, polars": 1 / 2,
    },
    "uneven": {"personalization": 1 - 1 / math.sqrt(2), "evidently Personalization": 0.75},
    "apart": {
        "diversity": 1.0,
        "diversity(distance=hamming)": 2 / 4,
        "rectools IntraListDiversity(cosine)": (1 + 0) / 2,
        "rectools IntraListDiversity(hamming)": (2 + 0) / 2,
        "recommenders user_diversity": 1.0,
        "evidently Diversity": (6 / 4 + 0) / 2,
    },
    "alike": {
        "serendipity(surprise=distance)": 0.0,
        "recommenders user_serendipity": 0.0,
        "evidently Serendipity": 1 - 2.0,
    },
    "even": {"gini": (1 * 2 + 3 * 2) / (4 * 4), "evidently gini": 0.0},
}


@pytest.mark.parametrize("name", PAGE_SAYS)
def test_page(answers, name):
    case = PAGE[name]
    for label, value in PAGE_SAYS[name].items():
        if " " not in label:
            metric = f"{label}@{case['k']}"
            found = ours(case, metric)[metric]
        else:
            peer, measure = label.split(" ", 1)
            ((_, answer),) = answers(peer, [case])
            found = answer[measure]
            found = found if isinstance(found, float) else float(np.mean([one for _, one in found]))
        assert found == near(value), label
