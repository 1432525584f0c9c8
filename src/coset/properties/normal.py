"""Which smaller formula says the same?

`negation_normal_form` moves negations down to the atoms and removes `->` and `<->`.  `simplify` then
rewrites, from the leaves up, by equalities of linear temporal logic that never make the formula larger:

* those of K. Etessami and G. J. Holzmann, "Optimizing Büchi automata", CONCUR 2000, LNCS 1877, among
  them the two classes of formulas that a change of the past cannot hurt: a *purely eventual* formula stays
  true when letters are put before the word, a *purely universal* one when letters are taken from its front;
* those of F. Somenzi and R. Bloem, "Efficient Büchi automata from LTL formulae", CAV 2000, LNCS 1855,
  which ask whether one subformula implies another; `implies` answers from the syntax alone, so that
  "no" means "not seen".

    >>> from coset.properties.formula import Atom, Logic, Modal, Until
    >>> p, q = Atom("p"), Atom("q")
    >>> print(negation_normal_form(Not(Logic("->", p, Modal("<>", q)))))
    ((p) && [] !(q))
    >>> print(simplify(Modal("[]", Modal("<>", Until("U", p, Modal("X", q))))))
    [] <> (q)
    >>> print(simplify(Until("W", Not(p), Logic("&&", q, Not(p)))))
    ((q) V !(p))
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Generic

from coset.properties.formula import A, Atom, Constant, Formula, Logic, Modal, Not, Until

_DUAL = {"&&": "||", "||": "&&", "[]": "<>", "<>": "[]", "X": "X", "U": "V", "V": "U"}


def size(formula: Formula[A]) -> int:
    """The number of operators and atoms; negations of atoms are free.

    >>> size(Logic("&&", Not(Atom("p")), Modal("[]", Atom("q"))))
    4
    """
    match formula:
        case Not(Atom()) | Atom() | Constant():
            return 1
        case Not(operand) | Modal(_, operand):
            return 1 + size(operand)
        case Logic(_, left, right) | Until(_, left, right):
            return 1 + size(left) + size(right)
    raise unknown(formula)


def is_stutter_invariant_syntactically(formula: Formula[A]) -> bool:
    """Whether the formula has no `X`, so that repeating a letter cannot change its truth.

    D. Peled and T. Wilke, "Stutter-invariant temporal properties are expressible without the next-time
    operator", Information Processing Letters 63 (1997).  Partial order reduction and merged steps ask this.
    `simplify` may remove an `X`: ask after it.

    >>> is_stutter_invariant_syntactically(Modal("X", Modal("[]", Modal("<>", Atom("p")))))
    False
    >>> is_stutter_invariant_syntactically(simplify(Modal("X", Modal("[]", Modal("<>", Atom("p"))))))
    True
    """
    match formula:
        case Atom() | Constant():
            return True
        case Modal("X", _):
            return False
        case Not(operand) | Modal(_, operand):
            return is_stutter_invariant_syntactically(operand)
        case Logic(_, left, right) | Until(_, left, right):
            return is_stutter_invariant_syntactically(left) and is_stutter_invariant_syntactically(right)
    raise unknown(formula)


def negation_normal_form(formula: Formula[A], negated: bool = False) -> Formula[A]:
    """The formula, or its negation, with `!` at atoms only and without `->` and `<->`."""
    match formula:
        case Constant(value):
            return Constant(value is not negated)
        case Atom():
            return Not(formula) if negated else formula
        case Not(operand):
            return negation_normal_form(operand, not negated)
        case Modal(("[]" | "<>" | "X") as operator, operand):
            return Modal(_DUAL[operator] if negated else operator, negation_normal_form(operand, negated))
        case Logic("->", left, right):
            return negation_normal_form(Logic("||", Not(left), right), negated)
        case Logic("<->", left, right):
            yes, no = (negation_normal_form(left, value) for value in (False, True))
            same, other = (negation_normal_form(right, value is not negated) for value in (False, True))
            return Logic("||", Logic("&&", yes, same), Logic("&&", no, other))
        case Until("W", left, right) if negated:
            stop = negation_normal_form(right, True)
            return Until("U", stop, Logic("&&", negation_normal_form(left, True), stop))
        case Logic(("&&" | "||") as operator, left, right):
            junction = _DUAL[operator] if negated else operator
            return Logic(junction, negation_normal_form(left, negated), negation_normal_form(right, negated))
        case Until(("U" | "V" | "W") as operator, left, right):
            until = _DUAL[operator] if negated else operator
            return Until(until, negation_normal_form(left, negated), negation_normal_form(right, negated))
    raise unknown(formula)


def simplify(formula: Formula[A]) -> Formula[A]:
    """An equal formula in negation normal form, at most as large as the plain normal form."""
    plain = negation_normal_form(formula)
    small = _Simplifier[A]().formula(plain)
    return small if size(small) <= size(plain) else plain


def is_eventual(formula: Formula[A]) -> bool:
    """Whether a formula in normal form is seen to stay true when letters are put before the word."""
    match formula:
        case Constant() | Modal("<>", _):
            return True
        case Modal(_, operand) | Until("U" | "V", _, operand):
            return is_eventual(operand)
        case Logic(_, left, right) | Until(_, left, right):
            return is_eventual(left) and is_eventual(right)
    return False


def is_universal(formula: Formula[A]) -> bool:
    """Whether a formula in normal form is seen to stay true when letters are taken from the front of the word."""
    match formula:
        case Constant() | Modal("[]", _):
            return True
        case Modal(_, operand) | Until(_, _, operand):
            return is_universal(operand)
        case Logic(_, left, right):
            return is_universal(left) and is_universal(right)
    return False


def is_suspendable(formula: Formula[A]) -> bool:
    """Whether the formula has the same truth at all positions of a word, as `[]<>p` does."""
    return is_eventual(formula) and is_universal(formula)


def unknown(formula: Formula[A]) -> TypeError:
    return TypeError(f"not a formula of linear temporal logic: {formula!r}")


class _Simplifier(Generic[A]):
    """One simplification.  The methods `modal`, `until` and `junction` take simplified operands and give a
    simplified formula."""

    def __init__(self) -> None:
        self._done: dict[Formula[A], Formula[A]] = {}
        self._implied: dict[tuple[Formula[A], Formula[A]], bool] = {}
        self._negations: dict[Formula[A], Formula[A]] = {}

    def formula(self, formula: Formula[A]) -> Formula[A]:
        if formula not in self._done:
            self._done[formula] = self._formula(formula)
        return self._done[formula]

    def _formula(self, formula: Formula[A]) -> Formula[A]:
        match formula:
            case Modal(operator, operand):
                return self.modal(operator, self.formula(operand))
            case Logic(operator, left, right):
                return self.junction(operator, [self.formula(left), self.formula(right)])
            case Until(operator, left, right):
                return self.until(operator, self.formula(left), self.formula(right))
        return formula

    def modal(self, operator: str, body: Formula[A]) -> Formula[A]:
        if isinstance(body, Constant):
            return body
        if operator == "X":
            return body if is_suspendable(body) else Modal("X", body)
        if is_eventual(body) if operator == "<>" else is_universal(body):
            return body  # <><>p = <>p
        match body:
            case Modal("X", operand):
                return self.modal("X", self.modal(operator, operand))
            case Until("U", _, right) if operator == "<>":
                return self.modal("<>", right)
            case Until("V", _, right) if operator == "[]":
                return self.modal("[]", right)
            case Until("W", left, right) if operator == "[]":
                return self.modal("[]", self.junction("||", [left, right]))
            case Logic(junction, _, _):
                # <>(p || e) = <>p || e and <>(p && s) = <>p && s; for [] with && and || exchanged
                direct = is_eventual if operator == "<>" else is_universal
                free = direct if (junction == "||") is (operator == "<>") else is_suspendable
                outer, inner = separate(junction, body, free)
                if outer and inner:
                    return self.junction(junction, [self.modal(operator, self.junction(junction, inner)), *outer])
        return Modal(operator, body)

    def until(self, operator: str, left: Formula[A], right: Formula[A]) -> Formula[A]:
        if operator == "V":
            return self.release(left, right)
        strong = operator == "U"
        if isinstance(right, Constant):
            return right if right.value or strong else self.modal("[]", left)
        if self.implies(left, right) or (strong and is_eventual(right)):
            return right
        if self.implies(self.negation(left), right):
            return self.modal("<>", right) if strong else Constant(True)
        left = self.junction("||", [part for part in operands("||", left) if not self.implies(part, right)])
        stop = self.negation(right)
        left = self.junction("&&", [part for part in operands("&&", left) if not self.implies(stop, part)])
        if isinstance(left, Constant):
            return self.modal("<>", right) if strong else Constant(True)
        match left, right:
            case Modal("X", first), Modal("X", second):
                return self.modal("X", self.until(operator, first, second))
            case _, Until(inner, first, _) if self.implies(left, first) and (inner == "U" or inner == "W"):
                if strong or inner == "W":  # p U (q U r) = q U r when p implies q
                    return right
            case Until(inner, first, second), _ if second == right and inner in ("U", "W"):
                return self.until("U" if "U" in (operator, inner) else "W", first, right)
        if not strong and left in operands("&&", right):  # p W (q && p) = q V p
            return self.until("V", self.junction("&&", [x for x in operands("&&", right) if x != left]), left)
        parts, rest = separate("||", right, is_eventual)
        if parts and rest:
            return self.junction("||", [self.until(operator, left, self.junction("||", rest)), *parts])
        if strong:
            parts, rest = separate("&&", right, is_suspendable)
            if parts and rest:
                return self.junction("&&", [self.until("U", left, self.junction("&&", rest)), *parts])
        else:
            parts, rest = separate("||", left, is_suspendable)
            if parts and rest:
                return self.junction("||", [self.until("W", self.junction("||", rest), right), *parts])
        return Until(operator, left, right)

    def release(self, left: Formula[A], right: Formula[A]) -> Formula[A]:
        """`left V right`: the dual of `U`."""
        if isinstance(right, Constant) or self.implies(right, left) or is_universal(right):
            return right
        if self.implies(right, self.negation(left)):
            return self.modal("[]", right)
        left = self.junction("&&", [part for part in operands("&&", left) if not self.implies(right, part)])
        never = self.negation(right)
        left = self.junction("||", [part for part in operands("||", left) if not self.implies(part, never)])
        if isinstance(left, Constant):
            return self.modal("[]", right)
        match left, right:
            case Modal("X", first), Modal("X", second):
                return self.modal("X", self.until("V", first, second))
            case _, Until("V", first, _) if self.implies(first, left):
                return right
            case Until("V", _, second), _ if second == right:
                return left
        if left in operands("||", right):  # p V (q || p) = q W p
            return self.until("W", self.junction("||", [x for x in operands("||", right) if x != left]), left)
        for junction in ("&&", "||"):
            parts, rest = separate(junction, right, is_universal if junction == "&&" else is_suspendable)
            if parts and rest:
                return self.junction(junction, [self.until("V", left, self.junction(junction, rest)), *parts])
        return Until("V", left, right)

    def junction(self, operator: str, parts: Iterable[Formula[A]]) -> Formula[A]:
        """The conjunction or disjunction of formulas."""
        conjunction = operator == "&&"
        kept: list[Formula[A]] = []
        for part in (inner for outer in parts for inner in operands(operator, outer)):
            if isinstance(part, Constant):
                if part.value is not conjunction:
                    return part
                continue
            opposite = self.negation(part)
            if any(self.stronger(conjunction, other, part) for other in kept):
                continue
            if any(self.stronger(conjunction, other, opposite) for other in kept):
                return Constant(not conjunction)
            kept = [other for other in kept if not self.stronger(conjunction, part, other)]
            kept.append(part)
        for i, first in enumerate(kept):
            for j in range(i + 1, len(kept)):
                joined = self.join(operator, first, kept[j]) or self.join(operator, kept[j], first)
                if joined is not None:
                    rest = [part for k, part in enumerate(kept) if k not in (i, j)]
                    return self.junction(operator, [*rest[:i], joined, *rest[i:]])
        if not kept:
            return Constant(conjunction)
        result = kept[0]
        for part in kept[1:]:
            result = Logic(operator, result, part)
        return result

    def stronger(self, conjunction: bool, one: Formula[A], other: Formula[A]) -> bool:
        """Whether `one` makes `other` superfluous beside it."""
        return self.implies(one, other) if conjunction else self.implies(other, one)

    def join(self, operator: str, one: Formula[A], other: Formula[A]) -> Formula[A] | None:
        """One formula for two operands of a conjunction or disjunction, if there is a smaller one."""
        conjunction = operator == "&&"
        match one, other:
            case Modal("X", first), Modal("X", second):
                return self.modal("X", self.junction(operator, [first, second]))
            case Modal("[]", Modal("<>", first)), Modal("[]", Modal("<>", second)):
                return None if conjunction else self.modal("[]", self.modal("<>", self.junction("||", [first, second])))
            case Modal("<>", Modal("[]", first)), Modal("<>", Modal("[]", second)):
                inner = [first, second] if conjunction else [Modal("[]", first), Modal("[]", second)]
                joined = self.junction(operator, inner)
                return self.modal("<>", self.modal("[]", joined) if conjunction else joined)
            case Modal("[]", first), Modal("[]", second) if conjunction:
                return self.modal("[]", self.junction("&&", [first, second]))
            case Modal("<>", first), Modal("<>", second) if not conjunction:
                return self.modal("<>", self.junction("||", [first, second]))
            case Until(kind, left, right), Until(same, left2, right2) if kind == same:
                if right == right2 and (kind == "V") is not conjunction:
                    return self.until(kind, self.junction(operator, [left, left2]), right)
                if left == left2 and (kind == "V") is conjunction:
                    return self.until(kind, left, self.junction(operator, [right, right2]))
            case Until("U" | "W", left, right), _ if not conjunction and left == other:
                return self.junction("||", [left, right])  # p || (p U q) = p || q
            case Until("V", left, right), _ if conjunction and left == other:
                return self.junction("&&", [left, right])
        return None

    def negation(self, formula: Formula[A]) -> Formula[A]:
        if formula not in self._negations:
            self._negations[formula] = negation_normal_form(formula, True)
        return self._negations[formula]

    def implies(self, one: Formula[A], other: Formula[A]) -> bool:
        """Whether it can be seen from the syntax that `one` implies `other` on every word."""
        if one == other:
            return True
        key = (one, other)
        if key not in self._implied:
            self._implied[key] = self._left_implies(one, other) or self._implies_right(one, other)
        return self._implied[key]

    def _left_implies(self, one: Formula[A], other: Formula[A]) -> bool:
        """What the shape of the premise, or of both, tells."""
        implies = self.implies
        match one, other:
            case (Constant(False), _) | (_, Constant(True)):
                return True
            case Modal("X", first), Modal("X", second) if implies(first, second):
                return True
            case Modal("<>", first), Modal("<>", second) if implies(first, second):
                return True
            case Until("U", _, first), Modal("<>", second) if implies(first, second):
                return True
            case Modal("[]", first), Modal("[]", second) if implies(first, second):
                return True
            case Modal("[]", first), Until("W" | "V" as kind, left, right):
                if implies(first, left if kind == "W" else right):
                    return True
            case Until("U" | "W" as kind, left, right), Until("U" | "W" as weak, left2, right2):
                if (kind == "U" or weak == "W") and implies(left, left2) and implies(right, right2):
                    return True
            case Until("V", left, right), Until("V", left2, right2):
                if implies(left, left2) and implies(right, right2):
                    return True
            case Until("V", left, right), Until("W", left2, right2):
                if implies(right, left2) and (implies(left, right2) or implies(right, right2)):
                    return True
            case Until("U" | "W", left, right), Until("V", left2, right2):
                if implies(left, right2) and implies(right, left2) and implies(right, right2):
                    return True
        match one:
            case Logic("&&", left, right):
                return implies(left, other) or implies(right, other)
            case Logic("||", left, right) | Until("U" | "W", left, right) if implies(left, other):
                return implies(right, other)
            case Modal("[]", operand) | Until("V", _, operand) if implies(operand, other):
                return True
            case Modal("X" | "<>", operand) | Until("U", _, operand) if is_eventual(other):
                return implies(operand, other)
        return False

    def _implies_right(self, one: Formula[A], other: Formula[A]) -> bool:
        """What the shape of the conclusion tells."""
        implies = self.implies
        match other:
            case Logic("&&", left, right):
                return implies(one, left) and implies(one, right)
            case Logic("||", left, right):
                return implies(one, left) or implies(one, right)
            case Until("U", _, right) | Modal("<>", right):
                return implies(one, right)
            case Until("W", left, right):
                return implies(one, right) or (is_universal(one) and implies(one, left))
            case Until("V", left, right):
                return implies(one, right) and (implies(one, left) or is_universal(one))
            case Modal("X" | "[]", operand):
                return is_universal(one) and implies(one, operand)
        return False


def operands(operator: str, formula: Formula[A]) -> list[Formula[A]]:
    """The parts that `operator` joins, from left to right.

    >>> [str(part) for part in operands("&&", Logic("&&", Logic("&&", Atom(1), Atom(2)), Atom(3)))]
    ['(1)', '(2)', '(3)']
    """
    if isinstance(formula, Logic) and formula.operator == operator:
        return operands(operator, formula.left) + operands(operator, formula.right)
    return [formula]


def separate(
    operator: str, formula: Formula[A], free: Callable[[Formula[A]], bool]
) -> tuple[list[Formula[A]], list[Formula[A]]]:
    """The operands of `operator` that are free, and the others."""
    parts = [(part, free(part)) for part in operands(operator, formula)]
    return [part for part, yes in parts if yes], [part for part, yes in parts if not yes]
