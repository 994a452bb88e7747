"""Training: its examples, and that a seed decides the model."""

from itertools import islice

from labeler.testbed import tokens
from labeler.testbed.drawing import TESTBED
from labeler.testbed.train import Options, Phase, encode, examples, fit, held_out, make_model

TINY = Options(3, (Phase("tiny", TESTBED, 3, 4, 2e-3),), hidden=32, layers=1, heads=1, feed=32)


def test_examples_are_a_function_of_the_seed() -> None:
    assert list(islice(examples(1), 20)) == list(islice(examples(1), 20))
    assert list(islice(examples(1), 20)) != list(islice(examples(2), 20))


def test_training_leaves_the_held_out_questions_out() -> None:
    assert not held_out() & {example.question for example in islice(examples(0), 3000)}


def test_a_seed_decides_the_model() -> None:
    import torch

    corpus = [x for e in islice(examples(3), 50) for x in (e.question, e.solution)]
    tokenizer = tokens.build(corpus)
    states = []
    for _ in range(2):
        model = make_model(tokenizer, TINY)
        fit(model, tokenizer, TINY.seed, TINY.phases[0])
        states.append(model.state_dict())
    one, other = states
    assert all(torch.equal(one[name], other[name]) for name in one)


def test_the_prompt_is_not_learned() -> None:
    example = next(examples(0))
    tokenizer = tokens.build([example.question, example.solution])
    ids, prompt = encode(tokenizer, example)
    assert tokenizer.decode(ids[prompt:]) == example.solution + tokens.END
    assert tokenizer.decode(ids[:prompt]).endswith(example.question + tokens.ASSISTANT)
