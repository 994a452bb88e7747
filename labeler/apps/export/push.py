"""push.py - a finished export to a hub, through huggingface_hub."""

from pathlib import Path

from labeler.model import LabelerError


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
            f"in (`hf auth login`, or HF_TOKEN) and upload it: hf upload {repo} {folder} "
            "--repo-type dataset"
        ) from error
    return str(done)
