"""push.py - a finished export to a hub, through huggingface_hub."""

import shlex
from pathlib import Path

from labeler.config import ConfigError
from labeler.model import LabelerError


def check_repo(repo: str) -> None:
    """Raises ConfigError for what no hub would take as a dataset's name."""
    from huggingface_hub import utils  # which has it, but lists it for no type checker

    try:
        utils.validate_repo_id(repo)  # type: ignore[attr-defined]
    except ValueError as error:
        raise ConfigError(
            f"--push {repo!r} is no dataset's name on a hub: give OWNER/NAME"
        ) from error


def push(folder: Path, repo: str) -> str:
    """Upload the folder as a dataset and return its address; a new dataset is private.

    HF_ENDPOINT and HF_TOKEN are heeded. Raises LabelerError; the folder stays as it is.
    """
    from huggingface_hub import HfApi

    try:
        api = HfApi(library_name="labeler")
        api.create_repo(repo, repo_type="dataset", private=True, exist_ok=True)
        done = api.upload_folder(
            folder_path=folder,
            repo_id=repo,
            repo_type="dataset",
            commit_message="Export by labeler",
        )
    except Exception as error:
        why = str(error).strip().partition("\n")[0]
        raise LabelerError(
            f"the export is whole in {folder}, but {repo} did not take it: {why or error!r}. Log "
            "in (`hf auth login`, or HF_TOKEN) and upload it: "
            + shlex.join(["hf", "upload", repo, str(folder), "--repo-type", "dataset"])
        ) from error
    return str(done)
