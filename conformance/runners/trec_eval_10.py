"""trec_eval 10.0, the program that TREC_EVAL names: the line "all" of each measure, asked for alone."""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from answering import answer

PROGRAM = os.environ["TREC_EVAL"]
ASKED = {  # what it prints: what -m says
    **{name: name for name in ("map", "gm_map", "Rprec", "bpref", "gm_bpref", "recip_rank", "infAP", "ndcg")},
    **{name: name for name in ("11pt_avg", "dcg", "ideal_dcg", "set_P", "set_recall", "set_F", "rbp")},
    **{
        f"{name}_{k}": f"{name}.{k}"
        for k in (1, 5, 10)
        for name in ("P", "recall", "success", "map_cut", "ndcg_cut", "relative_P")
    },
    **{f"iprec_at_recall_{level}": f"iprec_at_recall.{level}" for level in ("0.00", "0.30", "0.50", "1.00")},
}


def ranking(case):
    folder = Path(tempfile.mkdtemp(dir="."))
    run, truth = folder / "run", folder / "qrels"
    run.write_text("".join(f"{q} Q0 {i} 0 {s!r} made\n" for q, i, s in case["run"]), "ascii")
    truth.write_text("".join(f"{q} 0 {i} {g}\n" for q, i, g in case["truth"]), "ascii")

    def measured(asked):
        def printed():
            ended = subprocess.run(
                [PROGRAM, "-m", asked, truth, run], capture_output=True, text=True, check=False
            )
            if ended.returncode:
                raise RuntimeError(f"exit code {ended.returncode}: {ended.stderr.strip()}")
            return ended.stdout.split()[-1]

        return printed

    return {name: measured(asked) for name, asked in ASKED.items()}


def version():
    said = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True, check=True)
    return re.search(r"\d+\.\d+(\.\d+)?", said.stdout + said.stderr)[0]


if __name__ == "__main__":
    if not version().startswith("10."):
        sys.exit(f"{PROGRAM} is trec_eval {version()}, not 10")
    answer("trec_eval", version(), {"ranking": ranking})
