"""What a person is told of catalogues, features, histories and groups of items."""

from __future__ import annotations

from steelyard.messages.errors.base import ColumnError, MetricError, ReadError, ValueInDataError

either_missing = MetricError.of("""{metric} needs usual or history, and neither was given
    pass usual=… (--usual FILE): a plain recommender's lists, or history=… (--history FILE)""")
table_missing = MetricError.of("""{metric} needs {table}, which was not given
    pass {table}=… (--{option} FILE)""")
expected_lists = MetricError.of("""{metric} reads which items a list shows, and ties={ties} leaves that open
    choose an order: ties=item_desc, item_asc, given, optimistic or pessimistic""")
one_place = MetricError.of("""{metric} compares the items of a list with each other, \
    and a list of one item has no pair
    use a cutoff of 2 or more""")
empty_history = ReadError.of("""{name} is empty
    give what users had before: query and item""")
count_below_0 = ValueInDataError.of("""{place}: count is {value}
    a count is a number of 0 or more""")
not_a_matrix = ReadError.of("""{name} is a matrix or an array
    give {forms}""")
not_a_column = ReadError.of("""{name} is a dict with a column of items, and its '{key}' is a {type}
    give {forms}""")
catalog_of_keys = ReadError.of("""{name} is a dict, and none of its keys is a name of items
    give the ids as a list, such as list(catalog), or as a column called item""")
not_ids = ReadError.of("""the ids of {name} are a {type}
    give a list or an array with one id for each row""")
in_several_groups = ColumnError.of("""{name}: column '{column}' holds lists, and an item is in one group
    name one group""")
in_two_groups = ValueInDataError.of("""{name} has {n:,} rows of items that stand there more than once, \
    first {item}
    give one row for each item: it is in one group""")
no_group = ColumnError.of("""{name} has an item column and no other
    give the group of each item beside it""")
which_group = ColumnError.of("""{name} has {columns} beside the item, and none of them is called group
    say which one it is: --columns group=NAME, in Python columns=dict(group=NAME)""")
matrix_without_ids = ReadError.of("""features is a matrix of {shape}, \
    and which row is which item is not known
    give it with the ids of its rows: features=(matrix, ids)""")
not_features = ReadError.of("""features is a {type} that is no matrix with its ids
    give {forms}""")
matrix_and_ids = ReadError.of("""features is a matrix of {shape} with {n:,} {n:id|ids}
    give one id for each row of the matrix""")
ids_not_one_column = ReadError.of("""the ids of {name} are an array of {shape}
    give one dimension: one id for each item""")
no_features = ColumnError.of("""{name} has an item column and no other that could be a feature
    give numbers, a vector, categories or a list of tags for each item""")
item_twice = ValueInDataError.of("""{name} has {n:,} rows of items that stand there more than once, \
    first {item}
    give one row for each item; several tags of an item are one list""")
mixed_features = ColumnError.of("""{name} has numbers ({numbers}) and words ({words}), \
    which have no common distance
    name the columns of one kind: columns={{'feature': ['{example}']}} (--columns feature={example})""")
feature_missing = ValueInDataError.of("""{place}: feature '{column}' is missing
    fill it, or remove the row: an item without features is left to featureless=drop""")
feature_written_missing = ValueInDataError.of("""{place}: feature '{column}' is '{text}', a missing value
    fill it, or remove the row: an item without features is left to featureless=drop""")
feature_not_finite = ValueInDataError.of("""{place}: feature '{column}' is {value}
    fill it, or remove the row: an item without features is left to featureless=drop""")
widths_differ = ValueInDataError.of("""{place}: feature '{column}' is a vector of {found:,}, \
    and the first one is of {wanted:,}
    give vectors of one width""")
list_as_text = ValueInDataError.of("""{place}: feature '{column}' is the text '{text}', not a list
    give a column of lists, which parquet keeps and csv does not, or columns of numbers""")
not_a_feature = ColumnError.of("""{name}: column '{column}' holds {type}, which is no feature
    give numbers, a vector, categories or a list of tags, or name it: --columns feature=NAME""")
featureless_items = ValueInDataError.of("""{n:,} of the {every:,} items shown {n:has|have} no features in \
    {name}, first {item}
    add them, or leave such items out: {metric} with featureless=drop""")
zero_vectors = ValueInDataError.of("""{n:,} of the {every:,} items shown {n:has|have} features that are all \
    0 in {name}, first {item}, and cosine has no angle for {n:it|them}
    leave such items out: {metric} with featureless=drop; or choose distance=euclidean""")
unseen_items = ValueInDataError.of("""{n:,} of the {every:,} items shown {n:is|are} not in {name}, \
    first {item}
    choose {field}=one_user (as if one had) or drop""")
needs_categories = MetricError.of("""{metric} compares categories, and {name} holds numbers
    give a column of categories or a list of tags as features""")
no_usual = ValueInDataError.of("""{name} has none of the users of the lists
    check that both name users the same way""")
one_value = MetricError.of("""{metric} has one value, and values_of gives one for each group
    use of""")
several_values = MetricError.of("""{metric} has a value for each group, and of gives one number
    use values_of, or evaluate(…)""")
