"""What a person is told of catalogues, features, histories and groups of items."""

from __future__ import annotations

from steelyard.messages.errors.base import ColumnError, MetricError, ReadError, Refusal, ValueInDataError

either_missing = Refusal(
    MetricError,
    "{metric} needs usual or history, and neither was given",
    remedy="pass usual=… (--usual FILE): a plain recommender's lists, or history=… (--history FILE)",
)
table_missing = Refusal(
    MetricError,
    "{metric} needs {table}, which was not given",
    remedy="pass {table}=… (--{option} FILE)",
)
expected_lists = Refusal(
    MetricError,
    "{metric} reads which items a list shows, and ties={ties} leaves that open",
    remedy="choose an order: ties=item_desc, item_asc, given, optimistic or pessimistic",
)
one_place = Refusal(
    MetricError,
    "{metric} compares the items of a list with each other, and a list of one item has no pair",
    remedy="use a cutoff of 2 or more",
)
empty_history = Refusal(ReadError, "{name} is empty", remedy="give what users had before: query and item")
count_below_0 = Refusal(
    ValueInDataError, "{place}: count is {value}", remedy="a count is a number of 0 or more"
)
not_a_matrix = Refusal(ReadError, "{name} is a matrix or an array", remedy="give {forms}")
not_a_column = Refusal(
    ReadError, "{name} is a dict with a column of items, and its '{key}' is a {type}", remedy="give {forms}"
)
catalog_of_keys = Refusal(
    ReadError,
    "{name} is a dict, and none of its keys is a name of items",
    remedy="give the ids as a list, such as list(catalog), or as a column called item",
)
not_ids = Refusal(
    ReadError, "the ids of {name} are a {type}", remedy="give a list or an array with one id for each row"
)
in_several_groups = Refusal(
    ColumnError, "{name}: column '{column}' holds lists, and an item is in one group", remedy="name one group"
)
in_two_groups = Refusal(
    ValueInDataError,
    "{name} has {n:,} rows of items that stand there more than once, first {item}",
    remedy="give one row for each item: it is in one group",
)
no_group = Refusal(
    ColumnError, "{name} has an item column and no other", remedy="give the group of each item beside it"
)
which_group = Refusal(
    ColumnError,
    "{name} has {columns} beside the item, and none of them is called group",
    remedy="say which one it is: --columns group=NAME, in Python columns=dict(group=NAME)",
)
matrix_without_ids = Refusal(
    ReadError,
    "features is a matrix of {shape}, and which row is which item is not known",
    remedy="give it with the ids of its rows: features=(matrix, ids)",
)
not_features = Refusal(
    ReadError, "features is a {type} that is no matrix with its ids", remedy="give {forms}"
)
matrix_and_ids = Refusal(
    ReadError,
    "features is a matrix of {shape} with {n:,} {n:id|ids}",
    remedy="give one id for each row of the matrix",
)
ids_not_one_column = Refusal(
    ReadError, "the ids of {name} are an array of {shape}", remedy="give one dimension: one id for each item"
)
no_features = Refusal(
    ColumnError,
    "{name} has an item column and no other that could be a feature",
    remedy="give numbers, a vector, categories or a list of tags for each item",
)
item_twice = Refusal(
    ValueInDataError,
    "{name} has {n:,} rows of items that stand there more than once, first {item}",
    remedy="give one row for each item; several tags of an item are one list",
)
mixed_features = Refusal(
    ColumnError,
    "{name} has numbers ({numbers}) and words ({words}), which have no common distance",
    remedy="name the columns of one kind: columns={{'feature': ['{example}']}} (--columns feature={example})",
)
feature_missing = Refusal(
    ValueInDataError,
    "{place}: feature '{column}' is missing",
    remedy="fill it, or remove the row: an item without features is left to featureless=drop",
)
feature_written_missing = Refusal(
    ValueInDataError,
    "{place}: feature '{column}' is '{text}', a missing value",
    remedy="fill it, or remove the row: an item without features is left to featureless=drop",
)
feature_not_finite = Refusal(
    ValueInDataError,
    "{place}: feature '{column}' is {value}",
    remedy="fill it, or remove the row: an item without features is left to featureless=drop",
)
widths_differ = Refusal(
    ValueInDataError,
    "{place}: feature '{column}' is a vector of {found:,}, and the first one is of {wanted:,}",
    remedy="give vectors of one width",
)
list_as_text = Refusal(
    ValueInDataError,
    "{place}: feature '{column}' is the text '{text}', not a list",
    remedy="give a column of lists, which parquet keeps and csv does not, or columns of numbers",
)
not_a_feature = Refusal(
    ColumnError,
    "{name}: column '{column}' holds {type}, which is no feature",
    remedy="give numbers, a vector, categories or a list of tags, or name it: --columns feature=NAME",
)
featureless_items = Refusal(
    ValueInDataError,
    "{n:,} of the {every:,} items shown {n:has|have} no features in {name}, first {item}",
    remedy="add them, or leave such items out: {metric} with featureless=drop",
)
zero_vectors = Refusal(
    ValueInDataError,
    "{n:,} of the {every:,} items shown {n:has|have} features that are all 0 in {name}, first {item}, "
    "and cosine has no angle for {n:it|them}",
    remedy="leave such items out: {metric} with featureless=drop; or choose distance=euclidean",
)
unseen_items = Refusal(
    ValueInDataError,
    "{n:,} of the {every:,} items shown {n:is|are} not in {name}, first {item}",
    remedy="choose {field}=one_user (as if one had) or drop",
)
needs_categories = Refusal(
    MetricError,
    "{metric} compares categories, and {name} holds numbers",
    remedy="give a column of categories or a list of tags as features",
)
no_usual = Refusal(
    ValueInDataError,
    "{name} has none of the users of the lists",
    remedy="check that both name users the same way",
)
one_value = Refusal(
    MetricError, "{metric} has one value, and values_of gives one for each group", remedy="use of"
)
several_values = Refusal(
    MetricError,
    "{metric} has a value for each group, and of gives one number",
    remedy="use values_of, or evaluate(…)",
)
