"""`unlabeled export`: a fitted model as ONNX."""

from __future__ import annotations

from pathlib import Path

import click

from ..app.run import bad_input_of, export_model
from ._output import FitFolder, check_new_file, output_errors

_MOST_NAMED = 40


@click.command()
@click.argument("folder", metavar="DIR", type=FitFolder(path_type=Path))
@click.option(
    "--out",
    required=True,
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="A new file for the model: .onnx.",
)
@click.option("--force", is_flag=True, help="Replace FILE.")
def export(folder: Path, out: Path, force: bool) -> None:
    """Write a fitted model as ONNX, to score rows without Python.

    DIR is the folder that `unlabeled fit` wrote, with model.skops and model.json. The model
    may use numbers, true/false and categories, with missing cells, but not dates or text.

    \b
    Example: export a model, and list the inputs of the graph
      unlabeled export ward --out model.onnx
      python -c "import onnxruntime as rt; \\
        print(*[(i.name, i.type) for i in rt.InferenceSession('model.onnx').get_inputs()])"

    Each input is one column of the table, of shape (rows, 1): double for numbers and
    true/false (NaN if missing), text for categories ("" if missing). The outputs are score,
    posterior and decision (1 = positive).

    \b
    Exit codes:
      0    the file was written
      2    the model or an option cannot be used; the message says why
      3    FILE cannot be written; an existing file is kept
      130  stopped by Ctrl-C
    """
    check_new_file(out, (".onnx",), force)
    with bad_input_of("export"), output_errors(out):
        inputs = export_model(folder, out)
    more = f" and {len(inputs) - _MOST_NAMED} more" if len(inputs) > _MOST_NAMED else ""
    click.echo(f"Wrote {out} with {len(inputs)} inputs: {', '.join(inputs[:_MOST_NAMED])}{more}.")
