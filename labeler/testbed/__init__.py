"""Word problems with exact truth, and the small model that is trained on them.

The walk: `problems` draws a `program` (what is given, what follows from what, what happens
in which order) and `wording` puts it into words, both the question and the gold solution,
one step a line. `flaws` spoils a few training solutions on purpose. `truth` reads a solution
back, line by line, and says exactly which steps are wrong. `tokens` builds the tokenizer,
`train` trains the model, `report` measures it with vLLM.

Only `train`, `tokens` and `report` need torch, transformers, tokenizers or vllm; everything
else is the standard library, so that truth is cheap to ask anywhere.
"""
