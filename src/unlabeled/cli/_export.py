"""`unlabeled export`: a fitted model as ONNX."""

from __future__ import annotations

from pathlib import Path

import click

from ._output import output_errors
from ._table_options import BadInput, about_model, sentences


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--out",
    required=True,
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The ONNX file to write.",
)
def export(folder: Path, out: Path) -> None:
    """Write a fitted model as ONNX, to score rows without Python.

    DIR holds model.skops and model.json. The model may use numbers, true/false and
    categories, with missing cells; one that uses dates or text is refused.

    \b
    Example: fit without the date, export, and see what the graph wants
      unlabeled export fit --out model.onnx
      python -c "import onnxruntime as rt; \\
        print(*[(i.name, i.type) for i in rt.InferenceSession('model.onnx').get_inputs()])"

    An input is a column of the table, of shape (rows, 1): double for numbers and true/false
    (NaN where missing), text for categories ("" where missing). Outputs are score,
    posterior and decision (1 = positive).

    \b
    Exit codes:
      0    the file was written
      2    the model or an option cannot be used; a sentence says why
      3    FILE cannot be written; an older one stays
      130  stopped by Ctrl-C
    """
    with sentences("export"):
        inputs = _export(folder, out)
    click.echo(f"Wrote {out} with {len(inputs)} inputs: {', '.join(inputs)}.")


def _export(folder: Path, out: Path) -> tuple[str, ...]:
    try:
        from ..app.model_files import ModelFileError, export_onnx, load_model

        pipeline, _ = load_model(folder)
        with output_errors(out):
            return export_onnx(pipeline, out)
    except ImportError as error:
        if error.name != "onnx":
            raise
        raise BadInput(
            "`unlabeled export` needs onnx, which is not installed: pip install 'unlabeled[onnx]'."
        ) from None
    except ModelFileError as error:
        raise BadInput(_as_arguments(str(error))) from None


def _as_arguments(sentence: str) -> str:
    """Write a sentence of the library with the names of the command line."""
    return about_model(sentence, "DIR").replace("`pipeline`", "the model in DIR")
