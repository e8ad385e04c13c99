"""The program trec_eval is compared with only where TREC_EVAL names it."""

from __future__ import annotations

import os

collect_ignore = [] if os.environ.get("TREC_EVAL") else ["test_trec_program.py"]
