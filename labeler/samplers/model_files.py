"""model_files.py - where a model's files are, and the fingerprint of what they hold.

The fingerprint tells weights apart without reading all of them: of a large file only its name,
size, first and last MiB are hashed. It knows nothing of who made the model: two directories
with the same content are the same model.
"""

from hashlib import blake2b
from pathlib import Path

from labeler.model import LabelerError, digest

_MIB = 1 << 20
_WHOLE = 64 * _MIB
"""Files up to this size are hashed whole."""
_WEIGHTS = frozenset({".safetensors", ".bin"})
_TEXTS = frozenset({".json", ".txt", ".model", ".jinja"})
"""Configuration, tokenizer and chat template."""
_NOT_WANTED = ["original/*", "*.pth", "*.msgpack", "*.h5", "*.onnx", "*.gguf"]


def model_directory(model: str, revision: str | None = None) -> Path:
    """The directory of a model: itself, or the local copy of a name on a hub.

    Downloads what is missing unless HF_HUB_OFFLINE is set. Raises LabelerError where there is
    no such model.
    """
    path = Path(model).expanduser()
    if path.is_dir():
        return path
    if path.is_absolute() or model.startswith("."):
        raise LabelerError(f"no model directory {model}")
    from huggingface_hub import snapshot_download

    try:
        return Path(snapshot_download(model, revision=revision, ignore_patterns=_NOT_WANTED))
    except (OSError, ValueError) as e:  # the hub's own errors are kinds of OSError
        raise LabelerError(f"{model} is neither a directory nor to be had from a hub: {e}") from e


def files_digest(directory: Path, *, weights: bool = True) -> str:
    """Content digest of a model directory (or, without weights, of its tokenizer files)."""
    wanted = _TEXTS | _WEIGHTS if weights else _TEXTS
    files = sorted(f for f in directory.iterdir() if f.suffix in wanted and f.is_file())
    if not files:
        raise LabelerError(f"{directory} holds no model files")
    return digest(*(part for f in files for part in (f.name, _file_digest(f))))


def _file_digest(file: Path) -> str:
    size = file.stat().st_size
    h = blake2b(str(size).encode(), digest_size=16)
    with file.open("rb") as f:
        if size <= _WHOLE:
            h.update(f.read())
        else:
            h.update(f.read(_MIB))
            f.seek(-_MIB, 2)
            h.update(f.read(_MIB))
    return h.hexdigest()
