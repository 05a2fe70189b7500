"""A column that identifies something with several rows."""

import numpy as np
import pandas as pd
import pytest

from benchmarks.repeated_rows import persons, without_groups
from unlabeled.app.tables import repeated_rows


def asked(frame):
    names = [name for name in frame.columns if name != "s"]
    return repeated_rows(frame, frame["s"].to_numpy(), names, names)


def visits(rows=5, seed=0, population="one class and one label", alike=0.6, n=300):
    X, _, s, person = persons(population, rows, alike, np.random.default_rng(seed), n)
    frame = pd.DataFrame(X, columns=list("abcde")).assign(s=s)
    return frame, person


@pytest.mark.parametrize("rows", [2, 5, 10])
@pytest.mark.parametrize("written", ["number", "text"])
def test_persons_with_several_rows_are_found(rows, written):
    frame, person = visits(rows)
    code = np.random.default_rng(1).permutation(10**5)[person]
    frame["unit"] = code if written == "number" else [f"K{one:05d}" for one in code]
    found = asked(frame.sample(frac=1, random_state=0))
    assert found.name == "unit"
    assert found.n_values == person.max() + 1
    assert found.n_rows == len(frame)


def test_labels_of_persons_are_enough_where_features_are_not_alike():
    frame, person = visits(alike=0.05)
    found = asked(frame.assign(unit=person))
    assert found.name == "unit"


def test_at_most_one_table_in_twenty_without_groups_is_asked_about():
    found = [asked(without_groups(seed)[1]) is not None for seed in range(60)]
    assert sum(found) <= 3


def test_shuffled_persons_are_none():
    frame, person = visits()
    shuffled = np.random.default_rng(2).permutation(person)
    assert asked(frame.assign(unit=shuffled)) is None


def test_a_number_whose_neighbors_are_alike_is_no_identifier():
    rng = np.random.default_rng(3)
    age = rng.integers(18, 96, 2000)
    frame = pd.DataFrame({f"x{k}": age + rng.normal(0, 3, 2000) for k in range(4)})
    frame = frame.assign(age=age, s=(age > 80) & (rng.random(2000) < 0.5))
    assert asked(frame.astype(float)) is None


def test_a_household_holds_its_persons_but_a_year_of_birth_does_not():
    frame, person = visits()
    born = np.random.default_rng(4).integers(1930, 2005, person.max() + 1)[person]
    assert asked(frame.assign(unit=person, born=born)).name == "unit"
    # Two persons of a household are as alike as rows of one person.
    assert asked(frame.assign(household=person, unit=2 * person + (np.arange(len(person)) % 2))
                 ).name == "household"  # fmt: skip


@pytest.mark.parametrize(
    "column",
    [
        lambda person: person % 7,  # few values
        lambda person: np.arange(len(person)),  # a value per row
        lambda person: person + 0.5,  # a measurement
        lambda person: np.where(person == 3, np.nan, person),  # blank in some rows
    ],
)
def test_what_is_no_identifier_is_not_asked_about(column):
    frame, person = visits()
    assert asked(frame.assign(unit=column(person))) is None


def test_a_name_that_says_person_needs_fewer_columns():
    frame, person = visits()
    rng = np.random.default_rng(5)
    frame = frame.assign(**{f"noise{k}": rng.normal(size=len(frame)) for k in range(8)})
    frame["s"] = (rng.random(len(frame)) < 0.1).astype(float)
    assert asked(frame.assign(unit=person)) is None
    assert asked(frame.assign(patient_no=person)).name == "patient_no"


def test_of_many_rows_runs_of_values_are_compared():
    frame, person = visits(rows=10, n=4000)
    assert asked(frame.assign(unit=person)).name == "unit"


def test_the_remark_names_column_values_and_rows():
    frame, person = visits()
    remark = asked(frame.assign(unit=person)).remark
    assert remark.startswith("'unit' has 300 values with ")
    assert "rows of one value are alike" in remark


@pytest.mark.parametrize("rows", [2, 5])
def test_of_drawn_rows_few_have_another_of_their_value(rows):
    frame, person = visits(rows, n=80_000 // rows)
    frame = frame.assign(unit=np.random.default_rng(1).permutation(10**6)[person])
    drawn = frame.sample(3200, random_state=0).reset_index(drop=True)
    names = list("abcde")
    search = (drawn, drawn["s"].to_numpy(), names, [*names, "unit"])
    assert repeated_rows(*search) is None
    found = repeated_rows(*search, drawn=0.04)
    assert found.name == "unit"
    assert "3 200 rows that were drawn have" in found.remark


def test_drawn_rows_without_groups_are_not_asked_about():
    found = []
    for seed in range(40):
        frame = without_groups(seed)[1]
        drawn = frame.sample(frac=0.25, random_state=seed).reset_index(drop=True)
        names = [name for name in frame.columns if name != "s"]
        found.append(repeated_rows(drawn, drawn["s"].to_numpy(), names, names, drawn=0.25))
    assert sum(one is not None for one in found) <= 2


def test_a_code_with_many_rows_is_no_identifier_of_drawn_rows_either():
    rng = np.random.default_rng(4)
    code = rng.integers(0, 400, 40_000)  # 100 rows per value, of which 3 are drawn
    effect = rng.normal(size=(400, 5))
    frame = pd.DataFrame(effect[code] + rng.normal(size=(40_000, 5)), columns=list("abcde"))
    frame = frame.assign(unit=rng.permutation(10**5)[code], s=effect[code, 0] > 1.5)
    drawn = frame.sample(1200, random_state=0).reset_index(drop=True).astype(float)
    search = (drawn, drawn["s"].to_numpy(), list("abcde"), ["unit"])
    assert repeated_rows(*search).name == "unit"
    assert repeated_rows(*search, drawn=0.03) is None
