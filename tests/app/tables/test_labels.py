"""Which rows count as labeled: the rules, one by one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from unlabeled.app.tables import Table, TableError, label_column
from unlabeled.app.tables._labels import labels_of_codes
from unlabeled.engine.label_words import LABELED, PAIRS, UNLABELED


def table(values, dtype=None):
    frame = pd.DataFrame({"age": range(len(values)), "ill": pd.Series(values, dtype=dtype)})
    return Table(frame, Path("t.csv"))


def rejection(values, positive=None, name="ill"):
    with pytest.raises(TableError) as caught:
        label_column(table(values), name, positive)
    return str(caught.value)


@pytest.mark.parametrize(
    ("values", "positive"),
    [
        ([1, 0, 0, 1], "1"),
        ([1.0, 0.0, np.nan, 1.0], "1"),
        ([1, -1, -1, 1], "1"),
        ([True, False, False, True], "true"),
        (["yes", "no", "no", "yes"], "yes"),
        (["YES ", "No", " ", "YES"], "YES"),
        (["Y", "N", None, "Y"], "Y"),
        (["1", "0", "0", "1"], "1"),
        (["labeled", "unlabeled", "unlabeled", "labeled"], "labeled"),
        (["positive", None, "", "positive"], "positive"),
        (["flu", None, "  ", "flu"], "flu"),
        (pd.Categorical(["yes", None, "no", "yes"]), "yes"),
        (pd.array([True, None, False, True], dtype="boolean"), "true"),
        (pd.array([1, None, 0, 1], dtype="Int64"), "1"),
        (["2023-01-05", None, None, "2023-01-05"], "2023-01-05"),
        (["Ja", "Nein", None, "Ja"], "Ja"),
        (["oui", "non", "non", "oui"], "oui"),
        (["SÍ", "No", "No", "SÍ"], "SÍ"),
        (["si", "no", "", "si"], "si"),
    ],
)
def test_labels_that_need_no_help(values, positive):
    labels = label_column(table(values), "ill")
    assert labels.positive == positive
    assert labels.s.tolist() == [1, 0, 0, 1]


@pytest.mark.parametrize("no", ["nein", "Non", "nie", "não"])
def test_a_word_for_no_and_blanks_mark_no_row_in_any_language(no):
    assert f"('{no}': 2, blank: 1), which marks no row" in rejection([no, None, no])


def test_no_pair_contradicts_another():
    says_no, says_yes = ({one[k] for one in PAIRS} for k in (0, 1))
    assert not says_no & says_yes
    assert not UNLABELED & (says_no | says_yes | LABELED)


@pytest.mark.parametrize("pair", PAIRS)
def test_of_a_pair_the_second_is_labeled(pair):
    assert label_column(table([*pair, pair[0]]), "ill").s.tolist() == [0, 1, 0]


@pytest.mark.parametrize("word", sorted(UNLABELED - {"", "?", "na", "n/a", "<na>", "nan", "null"}))
def test_beside_a_word_for_unlabeled_rows_any_other_value_is_labeled(word):
    if word != "none":  # which is a blank cell
        labels = label_column(table(["fraud", word.title(), word, None]), "ill")
        assert labels.s.tolist() == [1, 0, 0, 0]
    with pytest.raises(TableError):
        label_column(table(["negative", word, word, None]), "ill")


@pytest.mark.parametrize("positive", ["sick", "Sick ", "SICK"])
def test_a_value_may_be_named_and_all_others_are_unlabeled(positive):
    labels = label_column(table(["sick", "well", None, "maybe", "sick"]), "ill", positive)
    assert labels.s.tolist() == [1, 0, 0, 0, 1]
    assert labels.others == {"well": 1, "maybe": 1}
    assert labels.blank == 1


def test_a_number_may_be_named_as_it_is_written():
    assert label_column(table([1.0, 2.0, 3.0]), "ill", 2).s.tolist() == [0, 1, 0]
    assert label_column(table([0, 1, 1]), "ill", "0").s.tolist() == [1, 0, 0]


def test_capitals_decide_where_values_differ_only_in_them():
    assert label_column(table(["a", "A", "b"]), "ill", "A").s.tolist() == [0, 1, 0]


def test_the_sentence_counts_everything():
    values = ["yes"] * 1200 + ["no"] * 3000 + [None] * 35_800
    sentence = str(label_column(table(values), "ill"))
    assert "1 200 of 40 000 rows" in sentence
    assert (
        "(`ill` = 'yes'). The other 38 800 are unlabeled ('no': 3 000, blank: 35 800)" in sentence
    )


def test_many_other_values_are_summed_up():
    values = ["yes"] + [f"v{i}" for i in range(9)]
    assert "'v5': 1, 3 more values: 3)" in str(label_column(table(values), "ill", "yes"))


def test_a_wrong_column_gets_the_nearest_name():
    assert "got 'Il'. Did you mean 'ill'?" in rejection([0, 1], name="Il")
    assert "'age', 'ill'" in rejection([0, 1], name="zzz")


@pytest.mark.parametrize(
    ("values", "positive", "part"),
    [
        ([None, None], None, "got 'ill', which is blank"),
        ([1, 1], None, "got 'ill', which is '1' in all 2 rows"),
        (["no", "no"], None, "got 'ill' ('no': 2), which marks no row. Set `positive`"),
        (["a", "b", "b"], None, "got 'ill' with 2 ('b': 2, 'a': 1). Set `positive`"),
        (["a", "b", "b"], None, "such as 'a'; it takes several values"),
        (["found"] * 9 + ["9", None], None, "such as 'found'"),  # the last line is a total
        (["b", "b", "yes", None], None, "such as 'yes'"),
        (["no", "no", "sick"], None, "such as 'sick'"),
        (["no", "0"], None, "marks labeled rows; it"),
        (["a", "b", "c", None], None, "with 3 ('a': 1, 'b': 1, 'c': 1, blank: 1). Set `positive`"),
        (list(range(400)), None, "got 'ill' with 400 different values"),
        (["yes", "no", "unknown"], None, "`label` must be a column with two values"),
        (["sick", "well"], "sik", "'ill' ('sick': 1, 'well': 1); got 'sik'. Did you mean 'sick'?"),
        (["sick", "sick"], "sick", "got 'ill', which is 'sick' in all 2 rows"),
    ],
)
def test_unclear_labels_are_rejected_with_their_counts(values, positive, part):
    assert part in rejection(values, positive)


def test_spellings_of_a_word_are_one_value_and_are_counted():
    values = ["Yes"] * 4 + ["yes"] * 3 + ["Y"] * 2 + ["YES", None, None]
    labels = label_column(table(values), "ill")
    assert labels.n_labeled == 10
    assert labels.positive == "Yes"
    assert labels.positives == {"Yes": 4, "yes": 3, "Y": 2, "YES": 1}
    assert "= 'Yes': 4, 'yes': 3, 'Y': 2, 'YES': 1, taken as one value)" in str(labels)
    assert labels.to_dict()["positives"] == labels.positives


@pytest.mark.parametrize(
    ("values", "s"),
    [
        (["Yes", "no", "yes", "N", "No", "Y"], [1, 0, 1, 0, 0, 1]),
        (["TRUE", "f", "t", "False"], [1, 0, 1, 0]),
        (["Case", "case", None], [1, 1, 0]),
        (["ja", "Nein", "JA"], [1, 0, 1]),
    ],
)
def test_pairs_may_be_spelled_in_several_ways(values, s):
    assert label_column(table(values), "ill").s.tolist() == s


def test_a_letter_is_no_spelling_without_the_word():
    assert "with 3 ('y': 1, 'n': 1, 'x': 1)" in rejection(["y", "n", "x"])


@pytest.mark.parametrize("positive", [["flu", "cold"], ("cold", "Flu"), {"flu", "cold"}])
def test_several_values_may_mark_labeled_rows(positive):
    labels = label_column(table(["flu", "well", "cold", "flu", None]), "ill", positive)
    assert labels.s.tolist() == [1, 0, 1, 1, 0]
    assert "(`ill` = 'flu': 2, 'cold': 1)" in str(labels)
    assert "one value" not in str(labels)


def test_a_named_yes_is_every_spelling_of_it():
    labels = label_column(table(["Yes", "yes", "y", "maybe", None]), "ill", "yes")
    assert labels.s.tolist() == [1, 1, 1, 0, 0]


def test_one_of_several_values_that_is_not_there_is_rejected():
    assert "got 'fluu'. Did you mean 'flu'?" in rejection(["flu", "cold"], ["cold", "fluu"])


@pytest.mark.parametrize(
    ("values", "positive", "negative", "may_be"),
    [
        (["yes", "no", None, "no"], None, (), ("no",)),
        (["1", "0", None], None, (), ("0",)),
        (["yes", "no", "maybe", None], "yes", (), ("no",)),
        (["yes", "no", "no"], None, (), ()),  # no blank cells: no means nothing but unlabeled
        (["yes", "no", None], None, ("no",), ()),
        (["labeled", "unlabeled", None], None, (), ()),
        (["yes", None], None, (), ()),
    ],
)
def test_no_beside_blank_cells_may_mean_that_somebody_has_looked(
    values, positive, negative, may_be
):
    labels = label_column(table(values), "ill", positive, negative)
    assert labels.may_be_negative == may_be


def test_of_three_values_the_error_names_both_arguments():
    message = rejection(["flu", "well", "unknown"])
    assert "`positive`" in message
    assert "`negative`" in message


def test_every_value_of_a_filled_column_marks_a_labeled_row_and_none_is_kept():
    table = Table(pd.DataFrame({"when": ["2024-01-03", None, "2024-02-01", " "]}), Path("t.csv"))
    labels = label_column(table, "when", filled=True)
    assert labels.s.tolist() == [1, 0, 1, 0]
    assert labels.positives == {"any value": 2}
    assert str(labels).startswith("2 of 4 rows are labeled (`when` = any value).")
    codes = labels_of_codes("when", np.array([0, 1, 2, 1]), ["a", "", "b"], filled=True)
    assert codes.s.tolist() == [1, 0, 1, 0]


@pytest.mark.parametrize(
    ("cells", "given", "said"),
    [
        (["a", "b"], {}, "which has a value in all 2 rows"),
        (["a", None], {"positive": "a"}, "`filled` must go without `positive`"),
        (["a", None], {"negative": ["a"]}, "`filled` must go without `positive` and `negative`"),
    ],
)
def test_a_filled_column_has_blanks_and_no_other_words(cells, given, said):
    table = Table(pd.DataFrame({"when": cells}), Path("t.csv"))
    with pytest.raises(TableError, match=said):
        label_column(table, "when", filled=True, **given)


def test_a_column_of_dates_beside_blanks_gets_the_hint():
    cells = [f"2024-01-{day:02d}" for day in range(1, 9)] + [None]
    with pytest.raises(TableError, match="If every row with a value is labeled, give `filled`"):
        label_column(Table(pd.DataFrame({"when": cells}), Path("t.csv")), "when")
