"""The names people give to queries, items, scores and labels."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_PROBABILITIES = (
    "prob proba probability p y_prob y_pred_prob y_pred_proba pred_prob pred_proba predict_proba "
    "predicted_prob predicted_proba predicted_probability p_click click_prob click_probability pctr "
    "p_ctr pred_ctr predicted_ctr pcvr p_cvr pred_cvr predicted_cvr pctcvr prob_1 proba_1 probability_1 "
    "y_prob_1 y_proba_1 y_pred_proba_1 pred_proba_1 predict_proba_1 y_score"
)
NAMES = {
    "query": (
        "query query_id query_no qid q user user_id uid session session_id topic topic_id topic_no "
        "request_id search_id question_id customer_id visitor_id member_id account_id client_id reviewer_id "
        "impression_id"
    ),
    "item": (
        "item item_id iid doc doc_id doc_no document_id corpus_id passage_id chunk_id pid product_id "
        "movie_id film_id video_id article_id news_id ad_id asin parent_asin sku track_id song_id book_id "
        "isbn page_id listing_id offer_id candidate_id entity_id business_id recipe_id game_id "
        "app_id content_id"
    ),
    "score": (
        "score scores pred prediction predictions predicted predicted_score predicted_rating y_pred y_hat "
        "pred_score prediction_score similarity sim logit logits retrieval_score model_score "
        + _PROBABILITIES
    ),
    "rank": "rank ranking position pos",
    "relevance": (
        "relevance rel relevance_label relevance_grade grade label labels rating ratings judgment judgement "
        "gain target y y_true clicked click clicks is_click is_clicked stars true_relevance"
    ),
    "weight": "weight weights w sample_weight query_weight",
    "predicted": (
        "predicted_class predicted_label pred_class pred_label class_pred label_pred y_pred_class "
        "y_pred_label"
    ),
    "probability": (
        "probabilities probs probas class_probabilities class_probs predicted_probabilities y_proba y_probs"
    ),
    "count": "count counts n_interactions interactions n_plays plays play_count n_views view_count",
    "group": (
        "group item_group provider provider_id seller seller_id supplier supplier_id brand brand_id artist "
        "artist_id author author_id studio studio_id publisher publisher_id"
    ),
}
ALSO_LABELS = "class true_class true_label class_label actual outcome converted conversion purchased"


@lru_cache(maxsize=4096)
def folded(name: str) -> str:
    """A column name without the accidents of spelling: ``Query-ID``, ``queryId`` and ``query_id`` are one."""
    return re.sub(r"[-\s._]+", "", unicodedata.normalize("NFKC", name).casefold())


ALIASES = {role: frozenset(folded(name) for name in names.split()) for role, names in NAMES.items()}
# Queries by what they belong to, the widest first: a user has many sessions, and a session many queries.
USERS = "user user_id uid customer_id visitor_id member_id account_id client_id reviewer_id"
WIDEST = (frozenset(map(folded, USERS.split())), frozenset(map(folded, ("session", "session_id"))))
# Names of scores that classes may have as well: what such a column holds tells which it is.
PREDICTIONS = frozenset({"pred", "prediction", "predictions", "predicted", "ypred", "yhat"})  # folded
# Names that probabilities have as well, and other things too: taken where nothing else is the score.
_RARE_NAMES = (
    "p_1 score_1 prob_pos prob_positive prob_yes positive_prob p_hat pred_probability prediction_probability "
    "confidence ctr_pred cvr_pred pconv p_conversion y_hat_prob"
)
RARE_PROBABILITIES = frozenset(folded(name) for name in _RARE_NAMES.split())
# Names of what is beside a class that was predicted: the probability that it was made from.
PROBABILITIES = (
    frozenset(folded(name) for name in _PROBABILITIES.split()) | ALIASES["probability"] | RARE_PROBABILITIES
)
# The probability of one class, folded: prob_0, y_pred_proba_1, p_1.
OF_CLASS = re.compile(r"(y?(?:pred(?:ict(?:ed)?)?)?prob(?:a|ability)?|p|score)(\d{1,4})")
# Names of columns that hold a list in each row, folded; used where no column has a name as above.
_ITEMS = frozenset({"recommendations", "recs", "recommendeditems", "relevantitems"})
LISTS = {
    "item": _ITEMS | {f"{name}s" for name in ALIASES["item"]},
    "rank": frozenset({"ranks", "positions"}),
    "relevance": frozenset({"relevances", "grades"}),
}
ALIASES["label"] = ALIASES["relevance"] | {folded(name) for name in ALSO_LABELS.split()}
