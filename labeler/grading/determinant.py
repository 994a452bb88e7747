r"""determinant.py - `\begin{vmatrix}` as the sum of products that it is."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations
from typing import TYPE_CHECKING

from labeler.grading.tokens import Lexeme, TooBig, Unreadable
from labeler.grading.tree import Node, Number, add, mul

if TYPE_CHECKING:
    from labeler.grading.parser import Parser

MAX_CELL_TOKENS = 300
"""Of all cells together: each stands in many of the products."""
MAX_ROWS = 4
"""Rows of a determinant that is written out."""


def determinant(p: "Parser") -> Node:
    r"""A `vmatrix`, written out."""
    if p.determinants:
        raise Unreadable("a determinant in a determinant")
    p.determinants, begin = 1, p.place
    rows = [[p.sum()]]
    while not p.take(Lexeme.COMMAND, "end"):
        if p.take(Lexeme.SIGN, "\\\\"):
            if p.at(Lexeme.COMMAND, "end"):
                continue
            rows.append([])
        else:
            p.expect(Lexeme.SIGN, "&")
        rows[-1].append(p.sum())
    p.determinants = 0
    if p.place - begin > MAX_CELL_TOKENS:
        raise TooBig("determinant")
    return leibniz(rows)


def leibniz(rows: Sequence[Sequence[Node]]) -> Node:
    """The determinant of a square of expressions (Leibniz), up to MAX_ROWS rows."""
    size = len(rows)
    if size > MAX_ROWS or any(len(row) != size for row in rows):
        raise Unreadable("vmatrix")
    terms: list[Node] = []
    for order in permutations(range(size)):
        swaps = sum(a > b for at, a in enumerate(order) for b in order[at + 1 :])
        sign = Number(Fraction(-1 if swaps % 2 else 1))
        terms.append(mul(sign, *(rows[row][column] for row, column in enumerate(order))))
    return add(*terms)
