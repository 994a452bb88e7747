"""Laws of the tokenizer: total, bounded, blind to blanks between signs, names before letters."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeler.grading.tokens import FUNCTIONS, MAX_TOKENS, Lexeme, Token, TooBig, Unreadable, tokens

ANY = st.text(st.characters(exclude_categories=()), max_size=60)
WORDS = st.sampled_from(
    ["x", "y_1", "x_{12}'", "12", "3.5", ".5", "0.1\\overline{6}", "+", "-", "*", "/", "^", "(",
     ")", "{", "}", "[", "]", "|", "!", "°", "%", ",", "=", "<", "<=", ">=", "\\frac", "\\sqrt",
     "\\pi", "\\sin", "\\cdot", "\\le", "\\infty", "\\alpha", "\\binom", "sqrt", "pi"]
)  # fmt: skip
SYMBOLS = st.from_regex(r"[a-zA-Z](_[a-z0-9]|_\{[0-9]{1,3}\})?'{0,3}", fullmatch=True)


def listed(text: str) -> list[tuple[Lexeme, str]]:
    found = tokens(text)
    assert found.pop() == Token(Lexeme.END, "")
    return [(token.lexeme, token.text) for token in found]


@given(ANY | st.lists(WORDS, max_size=30).map("".join))
def test_any_text_gives_tokens_or_says_that_it_cannot_be_read(text: str) -> None:
    try:
        found = tokens(text)
    except Unreadable:
        return
    assert len(found) <= MAX_TOKENS + 1
    assert [token.lexeme for token in found].count(Lexeme.END) == 1
    assert found[-1].lexeme is Lexeme.END


@given(st.lists(WORDS, max_size=20), st.integers(1, 3))
def test_blanks_between_words_change_nothing(words: list[str], width: int) -> None:
    assert tokens(" ".join(words)) == tokens((" " * width).join(words))


@given(st.lists(WORDS, max_size=10), st.lists(WORDS, max_size=10))
def test_tokens_of_a_text_are_those_of_its_parts(left: list[str], right: list[str]) -> None:
    both = listed(" ".join(left) + " " + " ".join(right))
    assert both == listed(" ".join(left)) + listed(" ".join(right))


@given(SYMBOLS)
def test_a_subscript_and_primes_belong_to_their_letter(symbol: str) -> None:
    assert listed(symbol) == [(Lexeme.SYMBOL, symbol.replace("{", "").replace("}", ""))]


@given(st.lists(st.sampled_from("xyzabktuvw"), min_size=1, max_size=5))
def test_letters_side_by_side_are_variables(letters: list[str]) -> None:
    assert listed("".join(letters)) == [(Lexeme.SYMBOL, letter) for letter in letters]


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_a_function_is_one_token_with_and_without_a_backslash(name: str) -> None:
    for text in (name, f"\\{name}"):
        assert listed(f"2{text}(x)") == [
            (Lexeme.NUMBER, "2"), (Lexeme.FUNCTION, name), (Lexeme.SIGN, "("),
            (Lexeme.SYMBOL, "x"), (Lexeme.SIGN, ")"),
        ]  # fmt: skip


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("2\\pi", "2pi"),
        ("\\infty", "infinity"),
        ("a\\cdot b", "a*b"),
        ("a\\times b", "a*b"),
        ("a\\div b", "a/b"),
        ("a\\le b", "a<=b"),
        ("\\sqrt{2}", "sqrt{2}"),
        ("\\dbinom{4}{2}", "\\binom{4}{2}"),
        ("\\displaystyle x", "x"),
        ("x_{1}", "x_1"),
        ("x_{ 1 }", "x_1"),
        ("(1;2)", "(1,2)"),
        ("a\\pmod b", "a mod b"),
    ],
)
def test_two_spellings_give_the_same_tokens(one: str, other: str) -> None:
    assert tokens(one) == tokens(other)


@pytest.mark.parametrize("text", ["\\unknown", "x?", "#", "√2", "2 \\and", "\x00", "\ud800", "@"])
def test_what_is_no_mathematics_is_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        tokens(text)


def test_a_longer_text_is_too_big() -> None:
    assert len(tokens("x " * MAX_TOKENS)) == MAX_TOKENS + 1
    for text in ("x " * (MAX_TOKENS + 1), "1 " * 100_000, "x+" * 1_000_000):
        with pytest.raises(TooBig):
            tokens(text)


@pytest.mark.parametrize("text", ["squared", "5 apples", "print(0)", "foo(x)", "nan", "5+nan-nan"])
def test_words_are_no_products(text: str) -> None:
    with pytest.raises(Unreadable):
        tokens(text)
