"""The paper's nine data sets: their files, columns and preparation, and the paper's table."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class UCISpec:
    """One data set: its file, what the file must hold, and how the paper prepared it.

    Columns, counts and checksums come from the files; the numbers of rows and features are those of
    the paper. `matrix_sha256` is the `fingerprint` of the prepared matrix and classes, the same for
    every source, and `columns` are those of the file without the last one, y. The `categorical`
    ones become 0/1 columns, and `fill` is the "median" or the "mean".
    """

    name: str
    file: str
    size: int
    sha256: str
    matrix_sha256: str
    n_rows: int
    n_features: int
    n_positives: int
    positive: str
    columns: tuple[str, ...]
    categorical: tuple[str, ...] = ()
    fill: str = "median"
    missing_counts_as_level: bool = True
    """Whether `?` counts toward the ten levels that are kept."""


_SPAMBASE_WORDS = (
    "make address all 3d our over remove internet order mail receive will people report "
    "addresses free business email you credit your font 000 money hp hpl george 650 lab labs "
    "telnet 857 data 415 85 technology 1999 parts pm direct cs meeting original project re edu "
    "table conference"
)


def _names(words: str) -> tuple[str, ...]:
    return tuple(words.split())


_SPECS = (
    UCISpec(
        name="adult",
        file="adult.csv.gz",
        size=394208,
        sha256="f4d2cd1b5823e07167cb3102d7768324774d3c54771a50a02fe0f0d3760810ee",
        matrix_sha256="3f0876427f2d4995b8d0bc22d684143b35598b67eef676182709dfb2b018acb1",
        n_rows=32561,
        n_features=57,
        n_positives=7841,
        positive="income above 50K",
        columns=_names(
            "age workclass fnlwgt education education-num marital-status occupation "
            "relationship race sex capital-gain capital-loss hours-per-week native-country"
        ),
        categorical=_names(
            "workclass education marital-status occupation relationship race sex native-country"
        ),
    ),
    UCISpec(
        name="banknote",
        file="banknote.csv",
        size=45067,
        sha256="7b53be52b696f89c5bc6ab48761a4dad46cda1b750fa193b885994a7db309d46",
        matrix_sha256="d1f076821129b13065581b4a7a4836e1c25f8eee8bb4ccd8e77adffea5e184b7",
        n_rows=1372,
        n_features=4,
        n_positives=610,
        positive="class 1 of the original file",
        columns=("variance", "skewness", "curtosis", "entropy"),
    ),
    UCISpec(
        name="breast-w",
        file="breast-w.csv",
        size=14636,
        sha256="3feb28fe459596fc8b01f493b7613af0f6ef8dcb301f45e83f4e028276a19f24",
        matrix_sha256="b6147c2ca059633a440b60dd530eb1bf9f3f97b7f3c2d8ecd31f9ae537a6adcb",
        n_rows=699,
        n_features=9,
        n_positives=241,
        positive="malignant",
        columns=_names(
            "Clump_thickness Uniformity_of_cell_size Uniformity_of_cell_shape "
            "Marginal_adhesion Single_epithelial_cell_size Bare_nuclei Bland_chromatin "
            "Normal_nucleoli Mitoses"
        ),
        fill="mean",
    ),
    UCISpec(
        name="credit-a",
        file="credit-a.csv",
        size=30272,
        sha256="d879dc01831aed5721fb34b9d8330a20de1a5ff64522dd2e8c02743fd6a3cdbb",
        matrix_sha256="92fadf80cb8399b8158befd2808a35157a06ffca992e4770b53cbf3dccc8227f",
        n_rows=690,
        n_features=38,
        n_positives=307,
        positive="application approved (+)",
        columns=tuple(f"A{i}" for i in range(1, 16)),
        categorical=("A1", "A4", "A5", "A6", "A7", "A9", "A10", "A12", "A13"),
        missing_counts_as_level=False,
    ),
    UCISpec(
        name="diabetes",
        file="diabetes.csv",
        size=23320,
        sha256="49b60f788dda6cc0d5f06e620d8b3f5e6248ca66f6907e96fc245e80d10c4864",
        matrix_sha256="0bb5dea0761a74455d82c7edbf66fb8698b7dbe31c8778ed510cceff21e76752",
        n_rows=768,
        n_features=8,
        n_positives=268,
        positive="tested positive for diabetes",
        columns=("preg", "plas", "pres", "skin", "insu", "mass", "pedi", "age"),
    ),
    UCISpec(
        name="haberman",
        file="haberman.csv",
        size=3151,
        sha256="8892b88244c1f2dc143ae1e33bb71804f423412e5523b986145630a3f3648eb8",
        matrix_sha256="4bdef76fdc0a72591e001c56f0b4bd0e7e51dd66ec505c6d36b4ece1a6cb6080",
        n_rows=306,
        n_features=3,
        n_positives=81,
        positive="died within five years",
        columns=("age", "year_of_operation", "positive_axillary_nodes"),
    ),
    UCISpec(
        name="ionosphere",
        file="ionosphere.csv",
        size=76605,
        sha256="0fe2b0a4edd6e6b4185a5c709e66578cb70bd9ba9f22ea9f2f9bc996c1fe6896",
        matrix_sha256="b48df2d3f59f9a50dd7dec12089f8982db2a90e2920742de56718b01f14ea779",
        n_rows=351,
        n_features=34,
        n_positives=126,
        positive="bad radar return",
        columns=tuple(f"a{i:02d}" for i in range(1, 35)),
    ),
    UCISpec(
        name="musk",
        file="musk.csv.gz",
        size=1198410,
        sha256="d4306d9baa94358f137b1f81bcfd2478428b3f74e96d2484237ce697df655bae",
        matrix_sha256="33d558bab22d96c3c346691ffa4baed7c5ce239b42ae06469fb61a35f45192cd",
        n_rows=6598,
        n_features=166,
        n_positives=1017,
        positive="musk",
        columns=tuple(f"f{i}" for i in range(1, 167)),
    ),
    UCISpec(
        name="spambase",
        file="spambase.csv",
        size=699252,
        sha256="39905b665fb7671c7bb05058a0e4a0390edb615f881ba15766f1e24e4d7cc0c8",
        matrix_sha256="ab61af383433234cac56fe1df6de54e022b3c744927c206d05df7aa21e9c017f",
        n_rows=4601,
        n_features=57,
        n_positives=1813,
        positive="spam",
        columns=(
            *(f"word_freq_{word}" for word in _SPAMBASE_WORDS.split()),
            *(f"char_freq_{character}" for character in ";([!$#"),
            "capital_run_length_average",
            "capital_run_length_longest",
            "capital_run_length_total",
        ),
    ),
)

SPECS: dict[str, UCISpec] = {spec.name: spec for spec in _SPECS}
"""The nine data sets by name, in the order of the paper's table."""

DATASET_NAMES: tuple[str, ...] = tuple(SPECS)
"""The names that `load_uci` accepts, in the order of the paper's table."""
