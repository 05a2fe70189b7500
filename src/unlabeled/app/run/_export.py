"""A fitted model as ONNX."""

from __future__ import annotations

from pathlib import Path

from ._errors import InputError, about_model


def export_model(folder: Path, out: Path) -> tuple[str, ...]:
    """Write the model of a fit as ONNX; return the names of its inputs."""
    try:
        from ..model_files import ModelFileError, export_onnx, load_model

        pipeline, _ = load_model(folder)
        return export_onnx(pipeline, out)
    except ImportError as error:
        if error.name != "onnx":
            raise
        raise InputError(
            "`unlabeled export` needs onnx, which is not installed: pip install 'unlabeled[onnx]'."
        ) from None
    except ModelFileError as error:
        raise InputError(about_model(error, "DIR")) from None
