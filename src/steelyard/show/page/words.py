"""The words of the page, and names from the data as its sentences have them."""

from __future__ import annotations

import re
import unicodedata

from steelyard.messages import say
from steelyard.printable import visible
from steelyard.show.labels import shown

_LONGEST, _LONGEST_WORD = 400, 120
_LONG_WORD = re.compile(rf"\S{{{_LONGEST_WORD + 1},}}")

PAGE = {
    "skip": say("Skip to the numbers"),
    "report": say("Evaluation report"),
    "contents": say("Contents"),
    "settings": say("View"),
    "language": say("Language"),
    "dark": say("Dark"),
    "good": say("Good:"),
    "warning": say("Warning:"),
    "systems": say("Systems"),
    "against": say("against"),
    "numbers": say("Numbers"),
    "readings": say("What the numbers say together"),
    "notes": say("What to know before trusting them"),
    "more": say("Scroll sideways for more →"),
    "conventions": say("Conventions"),
    "undefined": say("undefined"),
    "higher": say("higher is better"),
    "lower": say("lower is better"),
    "nearest_1": say("1 is right"),
    "best": say("best of its row"),
    "slices": say("Slices"),
    "classes": say("Classes"),
    "curves": say("Curves and distributions"),
    "data": say("Data of this chart"),
    "best_and_worst": say("Queries"),
    "highest": say("Highest"),
    "rank": say("rank"),
    "item": say("item"),
    "grade": say("grade"),
    "unjudged": say("not judged"),
    "no_items": say("The list is empty."),
    "strip": say(
        "Each list from rank 1 on: the stronger the colour, the higher the grade. Hollow: not judged."
    ),
    "charts": say("Charts"),
    "specification_short": say("Specification"),
    "specification": say("Specification and tally"),
    "copy": say("Copy"),
    "copied": say("Copied"),
}

TALLY = {
    "predictions": say("predictions read"),
    "judgements": say("judgements read"),
    "queries": say("queries evaluated"),
    "queries_predicted": say("queries in the predictions"),
    "queries_judged": say("queries in the truth"),
    "queries_missing": say("queries in the truth alone"),
    "queries_unexpected": say("queries in the predictions alone"),
    "queries_without_relevant": say("evaluated queries without a relevant item"),
    "doubled_predictions": say("predictions that name a (query, item) again"),
    "doubled_judgements": say("judgements that name a (query, item) again"),
    "masked": say("rows with a score of −inf: not retrieved"),
    "excluded": say("rows excluded"),
    "self_matched": say("rows whose item is the query itself: removed"),
    "unjudged": say("ranked rows without a judgement"),
    "retrieved": say("rows ranked"),
    "hits": say("ranked rows with a grade other than 0"),
    "tied": say("ranked rows tied with another of their query"),
    "tied_hits": say("of these, with a grade other than 0"),
    "rows": say("rows with a prediction"),
    "unlabelled": say("rows without a label"),
    "weightless": say("rows of weight 0, which count as none"),
    "unmatched_predictions": say("predictions without a label in the truth"),
    "unmatched_truth": say("rows of the truth without a prediction"),
}


def name(text: str) -> str:
    r"""A name as a sentence of the page has it: its long words cut, and what cannot be seen spelt out.

    One that runs from right to left is kept from turning the sentence around it.

    >>> name("a\tb"), len(name("x" * 1000)), len(name("שלום"))
    ('a\\tb', 120, 6)
    """
    short = shown(text, _LONGEST) if len(text) > _LONGEST else visible(text)
    short = _LONG_WORD.sub(lambda found: shown(found[0], _LONGEST_WORD), short)
    turned = any(unicodedata.bidirectional(letter) in ("R", "AL", "AN") for letter in short)
    return f"\u2068{short}\u2069" if turned else short
