"""Expressions made as simple as constants in them allow, without losing a fault."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from coset.languages.murphi.check_expression import folded
from coset.model import expression as e
from coset.model.analysis.ranges import Ranges
from coset.model.evaluate import wrap

TRUE, FALSE = e.TRUE, e.FALSE
BOUNDS = Ranges()
"""What values may be, as far as their types tell."""
NAMES = {"=": "==", "!=": "!="}
ORDER = ("<", "<=", ">", ">=")
LOGIC = ("==", "!=", "<", "<=", ">", ">=", "&&", "||", "!")
"""Operators whose value is a truth value."""


def binary(operator: str, left: e.Expr, right: e.Expr) -> e.Expr:
    """An operation of Murphi on numbers or truth values.

    >>> str(binary("+", e.Const(2), e.Const(3))), str(binary("&&", TRUE, e.Self())), str(binary("->", e.Self(), FALSE))
    ('5', '_pid', '!_pid')
    """
    if operator == "->":
        return binary("||", negated(left), right)
    if operator in ("&&", "||"):
        stop = operator == "||"
        if isinstance(left, e.Const):
            return e.Const(int(stop)) if bool(left.value) == stop else right
        if isinstance(right, e.Const) and bool(right.value) != stop:
            return left
        if isinstance(right, e.Const) and not may_fault(left):
            return right
        return e.Binary(operator, left, right)
    if operator in ("=", "!="):
        left, right = as_number(left), as_number(right)
    if isinstance(left, e.Const) and isinstance(right, e.Const) and not (operator in "/%" and right.value == 0):
        return e.Const(wrap(folded(operator, left.value, right.value)))
    decided = compared(operator, left, right)
    if decided is not None:
        return decided
    return e.Binary(NAMES.get(operator, operator), left, right)


def compared(operator: str, left: e.Expr, right: e.Expr) -> e.Const | None:
    """The value of a comparison that the ranges of its operands decide, one of which is a constant.

    >>> str(compared("<", e.Binary("+", e.Self(), e.Const(300)), e.Const(3))), compared("<", e.Self(), e.Const(3))
    ('0', None)
    """
    if operator not in ORDER or not (isinstance(left, e.Const) or isinstance(right, e.Const)):
        return None
    (low, high), (least, most) = BOUNDS.interval(left), BOUNDS.interval(right)
    if operator in (">", ">="):
        low, high, least, most = least, most, low, high
    strictly = operator in ("<", ">")
    always, never = (high < least, low >= most) if strictly else (high <= least, low > most)
    if not (always or never) or may_fault(left) or may_fault(right):
        return None
    return e.Const(int(always))


def shifted(operator: str, x: e.Expr, by: e.Expr) -> e.Expr:
    """`x << by` or `x >> by`: a negative number shifts the other way, and a large one leaves nothing (Rumur).

    >>> str(shifted("<<", e.Const(4), e.Const(-1))), str(shifted("<<", e.Const(1), e.Const(99)))
    ('2', '0')
    """
    other = ">>" if operator == "<<" else "<<"
    back = choice(binary(">", by, e.Const(-32)), binary(other, x, minus(by)), e.Const(0))
    onward = choice(binary("<", by, e.Const(32)), binary(operator, x, by), e.Const(0))
    return choice(binary(">=", by, e.Const(0)), onward, back)


def negated(x: e.Expr) -> e.Expr:
    """The negation of a truth value.

    >>> str(negated(e.Binary("==", e.Self(), TRUE))), str(negated(FALSE))
    ('_pid != 1', '1')
    """
    match x:
        case e.Const(value):
            return e.Const(int(not value))
        case e.Unary("!", operand):
            return operand
        case e.Binary("==", left, right):
            return e.Binary("!=", left, right)
        case e.Binary("!=", left, right):
            return e.Binary("==", left, right)
    return e.Unary("!", x)


def minus(x: e.Expr) -> e.Expr:
    return e.Const(wrap(-x.value)) if isinstance(x, e.Const) else e.Unary("-", x)


def as_number(x: e.Expr) -> e.Expr:
    """A truth value as it is stored: of what is asked, only the truth matters, not the numbers that are compared.

    >>> str(as_number(e.Binary("<", e.Self(), e.Const(2))))
    '(_pid < 2 -> 1 : 0)'
    """
    match x:
        case e.Unary("!") | e.Binary("==" | "!=" | "<" | "<=" | ">" | ">=" | "&&" | "||"):
            return e.Conditional(x, TRUE, FALSE)
        case e.Conditional(condition, yes, no):
            return e.Conditional(condition, as_number(yes), as_number(no))
        case e.Checked(operand):
            return replace(x, operand=as_number(operand))
    return x


def stepped(condition: e.Expr, changed: e.Expr, same: e.Expr, is_truth: bool = False) -> e.Expr:
    """`condition -> changed : same`.  A number that is changed by an amount is changed by it or 0, so that amounts add up.

    >>> x, c = e.Self(), e.Youngest()
    >>> str(stepped(c, e.Binary("+", x, e.Const(2)), x))
    '_pid + (youngest -> 2 : 0)'
    """
    match changed:
        case e.Binary("+" | "-" as operator, left, right) if left == same:
            return binary(operator, same, choice(condition, right, e.Const(0)))
        case e.Checked(e.Binary("+" | "-" as operator, left, right), low, high, fault, message) if left == same:
            # What is unchanged has been in its range before.
            return e.Checked(binary(operator, same, choice(condition, right, e.Const(0))), low, high, fault, message)
    return choice(condition, changed, same, is_truth)


def choice(condition: e.Expr, yes: e.Expr, no: e.Expr, is_truth: bool = False) -> e.Expr:
    """One of two values; of truth values as a formula, in which symmetry is found more easily.

    >>> x = e.Self()
    >>> str(choice(x, FALSE, x, is_truth=True)), str(choice(TRUE, x, FALSE)), str(choice(x, e.Const(2), e.Const(3)))
    ('!_pid && _pid', '_pid', '(_pid -> 2 : 3)')
    """
    if isinstance(condition, e.Const):
        return yes if condition.value else no
    if yes == no:
        return yes
    if is_truth and FALSE in (yes, no):
        return binary("&&", condition, yes) if no == FALSE else binary("&&", negated(condition), no)
    if is_truth and TRUE in (yes, no):
        return binary("||", condition, no) if yes == TRUE else binary("||", negated(condition), yes)
    return e.Conditional(condition, yes, no)


def within(x: e.Expr, low: int, high: int, fault: str, message: str) -> e.Expr:
    """The value, which must be one of `low..high`."""
    least, most = BOUNDS.interval(x)
    if low <= least and most <= high:
        return x
    if isinstance(x, e.Conditional):
        return e.Conditional(
            x.condition, within(x.yes, low, high, fault, message), within(x.no, low, high, fault, message)
        )
    return e.Checked(x, low, high, fault, message)


def joined(operator: str, operands: Iterable[e.Expr]) -> e.Expr:
    """`&&` or `||` of any number of operands."""
    result = TRUE if operator == "&&" else FALSE
    for each in operands:
        result = binary(operator, result, each)
    return result


def may_fault(x: e.Expr) -> bool:
    """Whether something in an expression may be a fault, as far as the expression alone tells."""
    for part in x.walk():
        match part:
            case e.Checked():
                return True
            case e.Binary("/" | "%", _, right) if not (isinstance(right, e.Const) and right.value):
                return True
            case e.Get(variable, indices):
                for index, length in zip(indices, variable.shape, strict=True):
                    if not (isinstance(index, e.Const) and 0 <= index.value < length):
                        return True
    return False


def unchecked(x: e.Expr) -> e.Expr:
    """An expression that has been evaluated before, without its checks."""
    from coset.model.rewrite import rewrite

    return rewrite(x, lambda part: part.operand if isinstance(part, e.Checked) else part)


def after(check: e.Expr, x: e.Expr, is_truth: bool) -> e.Expr:
    """The value of `x`, after `check` has been evaluated because it may fault.

    >>> str(after(e.Self(), e.Unary("!", e.Self()), is_truth=True))
    '(_pid || 1) && !_pid'
    """
    done = e.Binary("||", check, TRUE)
    return e.Binary("&&", done, x) if is_truth else e.Conditional(done, x, x)


def size(x: e.Expr, most: int) -> int:
    """The number of parts, at most `most`."""
    count = 0
    for _ in x.walk():
        count += 1
        if count >= most:
            break
    return count
