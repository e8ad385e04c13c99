"""What ``ranx.compare`` does once it has the values per query, as a process under the Python that has it.

``build/peers/ranx/bin/python bench/ranx_peer.py FILE DRAWS``: an array of systems, queries and metrics.
A call that compiles, then the one whose seconds are printed.
"""

from __future__ import annotations

import json
import sys
import time

import numpy as np
from ranx.statistical_tests import compute_statistical_significance


def main(file: str, draws: int) -> None:
    scores = {
        f"system {system}": {f"metric {at}": np.ascontiguousarray(one) for at, one in enumerate(values.T)}
        for system, values in enumerate(np.load(file))
    }
    for n in (2, draws):
        begun = time.perf_counter()
        compute_statistical_significance(list(scores), scores, stat_test="fisher", n_permutations=n)
    print(json.dumps(time.perf_counter() - begun))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
