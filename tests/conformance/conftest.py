"""The program trec_eval is compared with where TREC_EVAL names it, and only there is there anything to run."""

from __future__ import annotations

import os

collect_ignore = [] if os.environ.get("TREC_EVAL") else ["test_trec_program.py"]
