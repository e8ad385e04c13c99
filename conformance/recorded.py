"""What each library answered, as it was kept."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
RECORDED = HERE / "recorded"


@dataclass(frozen=True)
class Answers:
    """The answers of one library: by case, by its own name for the metric; an error is kept as its text."""

    profile: str
    library: str
    version: str
    cases: str  # the digest of the cases of the kinds that were answered
    answers: dict[str, dict[str, Any]]

    @classmethod
    def read(cls, profile: str) -> Answers:
        data = json.loads(file_of(profile).read_text("utf-8"))
        return cls(profile, data["library"], data["version"], data["cases"], data["answers"])


def file_of(profile: str) -> Path:
    """Where the answers of a profile's library are kept."""
    return RECORDED / f"{stem(profile)}.json"


def stem(profile: str) -> str:
    """How the files of a profile are named: trec_eval_10 of trec_eval:10."""
    return profile.replace(":", "_")


def recorded() -> list[str]:
    """The profiles whose library has answered."""
    return sorted(json.loads(file.read_text("utf-8"))["profile"] for file in RECORDED.glob("*.json"))
