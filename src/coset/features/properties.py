"""properties.def: what each feature promises, as formulas with parameters.

    FILTER(i, j): [] (last_del_from[i] != j)
    FORWARD(i, j), forall k != j: [] (last_del_to[k] != i)
    CFU(i, j; k): [] ((user[k]@calling && dialled[k] == i) -> ...)
    own_mail(i): [] (last_del_to[i] == 0 || last_del_to[i] == i)

The name is that of a feature, with its parameters, or any other.  Parameters after `;` are further ones of the
formula, each value of which is a case of its own; `forall` joins the formulas for all components by &&.  A parameter ranges over
the components of the first proctype, or of the one after `in`.  A line that begins with blanks goes on with the one before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path

from coset.languages.features import codes
from coset.languages.features.definitions import statements
from coset.languages.features.load import read_source
from coset.languages.features.tree import Feature, Network
from coset.source.diagnostics import Diagnostics, suggest
from coset.source.records import dataclass
from coset.source.text import Source, Span

FILE = "properties.def"
_HEAD = re.compile(r"([A-Za-z_]\w*)\s*\(([^()]*)\)\s*((?:,\s*forall\b[^:,]*)*):(?!=)")
_PARAMETER = re.compile(r"\s*([A-Za-z_]\w*)(?:\s+in\s+([A-Za-z_]\w*))?\s*")
_FORALL = re.compile(r",\s*forall\s+([A-Za-z_]\w*)(?:\s+in\s+([A-Za-z_]\w*))?((?:\s*!=\s*[A-Za-z_]\w*)*)\s*")
_INSTANCE = re.compile(r"\s*([A-Za-z_]\w*)\s*(?:\(([\d\s,;]*)\))?\s*")


@dataclass(frozen=True, slots=True)
class Parameter:
    """A name in a formula and the proctype of the components that it stands for; `others` are names it differs from."""

    name: str
    proctype: str
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Property:
    """A formula with parameters; the first `arity` of them are those of the feature, if it is about one."""

    name: str
    parameters: tuple[Parameter, ...]
    arity: int
    quantified: tuple[Parameter, ...]
    formula: str
    span: Span

    def formula_for(self, arguments: Sequence[int], network: Network) -> str:
        """The formula with numbers in place of names.

        Read from the file of a network with clients 1 to 3, `FORWARD` for (1, 2) is
        `([] (last_del_to[1] != 1)) && ([] (last_del_to[3] != 1))`.
        """
        values = {each.name: number for each, number in zip(self.parameters, arguments, strict=True)}
        found = []
        for chosen in product(*(network.ids(each.proctype) for each in self.quantified)):
            all_ = values | {each.name: number for each, number in zip(self.quantified, chosen, strict=True)}
            if all(all_[each.name] != all_[other] for each in self.quantified for other in each.others):
                found.append(substituted(self.formula, all_))
        return found[0] if len(found) == 1 else " && ".join(f"({each})" for each in found) or "true"


def substituted(formula: str, values: dict[str, int]) -> str:
    """
    >>> substituted("[] (x[i] != k && y.i)", {"i": 1, "k": 3})
    '[] (x[1] != 3 && y.i)'
    """
    if not values:
        return formula
    names = "|".join(map(re.escape, values))
    return re.sub(rf"(?<![\w.@])({names})(?!\w)", lambda match: str(values[match[1]]), formula)


@dataclass(frozen=True, slots=True)
class Instance:
    """A property, or a feature, for some components: `FILTER(1,2)`."""

    name: str
    arguments: tuple[int, ...]

    def __str__(self) -> str:
        return f"{self.name}({','.join(map(str, self.arguments))})"

    @property
    def label(self) -> str:
        """A name for an `ltl` block."""
        return "_".join([self.name, *map(str, self.arguments)])


def read_properties(folder: str | Path, network: Network, diagnostics: Diagnostics) -> dict[str, Property]:
    """The properties of a network, by name."""
    source = read_source(Path(folder) / FILE, diagnostics, needed=False)
    return parse_properties(source, network, diagnostics)


def parse_properties(source: Source, network: Network, diagnostics: Diagnostics) -> dict[str, Property]:
    found: dict[str, Property] = {}
    for span in joined(source):
        read = Reader(network, span, diagnostics).read()
        if read is None:
            continue
        if read.name in found:
            diagnostics.error(codes.BAD_PROPERTY, f"there are two properties `{read.name}`", span)
        found[read.name] = read
    return found


def joined(source: Source) -> Iterator[Span]:
    """The lines, each with those that continue it."""
    open_: Span | None = None
    for span in statements(source):
        if open_ is not None and span.column > 1:
            open_ = Span(source, open_.start, span.end)
        else:
            if open_ is not None:
                yield open_
            open_ = span
    if open_ is not None:
        yield open_


class Reader:
    """Reads one property."""

    def __init__(self, network: Network, span: Span, diagnostics: Diagnostics) -> None:
        self.network, self.span, self.diagnostics = network, span, diagnostics
        self.failed = False

    def wrong(self, message: str, hint: str | None = None, code: str = codes.BAD_PROPERTY) -> None:
        self.failed = True
        self.diagnostics.error(code, message, self.span, hint)

    def read(self) -> Property | None:
        match = _HEAD.match(self.span.text)
        if match is None:
            self.wrong("expected `NAME(i, j): formula`")
            return None
        own, _, extra = match[2].partition(";")
        parameters = [*self.parameters(own), *self.parameters(extra)]
        arity = len(self.parameters(own))
        feature = self.network.feature(match[1])
        if feature is not None and feature.arity != arity:
            self.wrong(f"feature `{feature.name}` has {feature.arity} parameters, not {arity}")
        quantified = self.quantified(match[3])
        names = [each.name for each in (*parameters, *quantified)]
        for name in {name for name in names if names.count(name) > 1}:
            self.wrong(f"`{name}` is there twice")
        for each in quantified:
            for other in each.others:
                if other not in names:
                    self.wrong(f"`{other}` is no parameter")
        formula = " ".join(
            re.sub(r"/\*.*?\*/|//[^\n]*|#[^\n]*", " ", self.span.text[match.end() :], flags=re.S).split()
        )
        if not formula:
            self.wrong("there is no formula")
        if self.failed:
            return None
        return Property(match[1], tuple(parameters), arity, tuple(quantified), formula, self.span)

    def parameters(self, text: str) -> list[Parameter]:
        found = []
        for part in text.split(",") if text.strip() else ():
            match = _PARAMETER.fullmatch(part)
            if match is None:
                self.wrong(f"`{part.strip()}` is no parameter", "write `i` or `i in client`")
            else:
                found.append(Parameter(match[1], self.proctype(match[2])))
        return found

    def quantified(self, text: str) -> list[Parameter]:
        found, at = list[Parameter](), 0
        while at < len(text.rstrip()):
            match = _FORALL.match(text, at)
            if match is None:
                self.wrong(f"`{text[at:].strip(' ,')}` is no quantifier", "write `forall k != i`")
                return found
            others = tuple(re.findall(r"!=\s*(\w+)", match[3]))
            found.append(Parameter(match[1], self.proctype(match[2]), others))
            at = match.end()
        return found

    def proctype(self, name: str | None) -> str:
        known = [each.name for each in self.network.definitions]
        if name is not None and name not in known:
            close = suggest(name, known)
            self.wrong(f"there is no proctype `{name}`", f"did you mean `{close}`?" if close else ", ".join(known))
        return name or known[0]


def parse_instance(text: str, properties: dict[str, Property], network: Network, diagnostics: Diagnostics) -> Instance:
    """`FILTER(1,2)` as it is given on the command line."""
    source = Span(Source("--property", text), 0, len(text))
    match = _INSTANCE.fullmatch(text)
    known = properties.get(match[1]) if match is not None else None
    if match is None or known is None:
        names = ", ".join(properties) or "none"
        diagnostics.error(codes.BAD_INSTANCE, f"`{text}` is not one of the properties {names}", source)
        return Instance(text, ())
    arguments = tuple(int(each) for each in re.findall(r"\d+", match[2] or ""))
    if len(arguments) != len(known.parameters):
        message = f"`{known.name}` has {len(known.parameters)} parameters, not {len(arguments)}"
        diagnostics.error(codes.BAD_INSTANCE, message, source)
    for number, parameter in zip(arguments, known.parameters, strict=False):
        if number not in network.ids(parameter.proctype):
            diagnostics.error(codes.BAD_INSTANCE, f"{number} is not the number of a {parameter.proctype}", source)
    return Instance(known.name, arguments)


def hosts(feature: Feature) -> str:
    return f"{feature.name}[i]" if feature.arity == 1 else f"{feature.name}[(i,j)]"
