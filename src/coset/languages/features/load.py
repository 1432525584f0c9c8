"""From a folder to a featured network, with all that is wrong with it said in one go."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from coset.languages.features import codes, restrictions
from coset.languages.features.definitions import configured, read_definitions, read_features
from coset.languages.features.expand import walk
from coset.languages.features.flow import Flow, check_messages
from coset.languages.features.scope import (
    CHANNEL,
    Scope,
    Variable,
    constants_of,
    features_in,
    globals_of,
    kind_of,
    locals_of,
    records_of,
)
from coset.languages.features.template import parse_template, stray_options
from coset.languages.features.tree import Definition, Feature, Network, Template
from coset.languages.promela import tree as t
from coset.languages.promela.lexer import END, Names, Stream, Token, tokenise
from coset.languages.promela.parse import Parser
from coset.model.depth import refused
from coset.source.diagnostics import Diagnostics
from coset.source.preprocess import Preprocessor
from coset.source.text import Source, Span

PROCTYPES, GLOBALS, FEATURES, SUFFIX = "procs.def", "globals.def", "features.def", ".tmpl"


def read_source(path: Path, diagnostics: Diagnostics, needed: bool = True) -> Source:
    """The text of a file; a file that is missing is empty, and an error if it is needed."""
    try:
        return Source(str(path), path.read_text("utf-8"))
    except FileNotFoundError:
        if needed:
            diagnostics.error(codes.MISSING_FILE, f"{path}: there is no such file", None)
    except (OSError, UnicodeDecodeError) as error:
        diagnostics.error(codes.MISSING_FILE, f"{path}: {error}", None)
    return Source(str(path), "")


def load_network(
    folder: str | Path,
    diagnostics: Diagnostics,
    counts: Mapping[str, int] | None = None,
    features: Sequence[str] | None = None,
) -> Network | None:
    """The network in a folder, or None if there are errors.  `counts` are other numbers of components than those of
    procs.def, `features` another configuration than that of features.def."""
    path = Path(folder)
    if not path.is_dir():
        diagnostics.error(codes.MISSING_FILE, f"{folder}: there is no such folder", None)
        return None
    definitions = resized(
        read_definitions(read_source(path / PROCTYPES, diagnostics), diagnostics), counts, diagnostics
    )
    names = Names(typedefs={"array"}, proctypes={each.name for each in definitions})
    source = read_source(path / GLOBALS, diagnostics, needed=False)
    preprocessor = Preprocessor((), diagnostics)
    units = read_globals(source, names, preprocessor, diagnostics)
    templates = {}
    for each in definitions:
        own = Preprocessor((), diagnostics)
        own.macros.update(preprocessor.macros)
        text = read_source(path / f"{each.name}{SUFFIX}", diagnostics)
        if text.text:
            templates[each.name] = parse_template(each.name, text, names, own, diagnostics)
    if features is None:
        written = read_features(read_source(path / FEATURES, diagnostics, needed=False), diagnostics)
    else:
        written = read_features(Source("features", "\n".join(features)), diagnostics)
    if diagnostics.errors:
        return None
    known = features_of(templates, units, diagnostics)
    size = sum(each.count for each in definitions)
    network = Network(
        path.resolve().name, definitions, source, units, templates, configured(known, written, size, diagnostics)
    )
    check_templates(network, diagnostics)
    return None if diagnostics.errors else network


def resized(
    definitions: tuple[Definition, ...], counts: Mapping[str, int] | None, diagnostics: Diagnostics
) -> tuple[Definition, ...]:
    known = [each.name for each in definitions]
    for name in counts or {}:
        if name not in known:
            message = f"there is no proctype `{name}`: there are {', '.join(known)}"
            diagnostics.error(codes.BAD_DEFINITION, message, None)
    found = Network("", definitions, Source("", ""), (), {}, ()).sized(counts or {})
    return found.definitions


def read_globals(
    source: Source, names: Names, preprocessor: Preprocessor, diagnostics: Diagnostics
) -> tuple[t.Unit, ...]:
    """What globals.def declares."""
    tokens = preprocessor.run(source)
    program, formulas = tokenise(tokens, diagnostics)
    for formula in formulas:
        hint = "formulas belong into properties.def"
        diagnostics.error(codes.BAD_GLOBAL, "this is no declaration", formula[0].span, hint)
    units: list[t.Unit] = []
    if program:
        end = Token(END, "", None, source, len(source.text), len(source.text))
        parser = Parser(Stream(program, names, end), names, diagnostics)
        try:
            parser.units(units)
        except RecursionError:
            raise refused(parser.peek().span) from None
    for unit in units:
        if not isinstance(unit, t.Declaration | t.MtypeDeclaration | t.Typedef):
            diagnostics.error(codes.BAD_GLOBAL, "this is no declaration", unit.span, "processes belong into templates")
        elif isinstance(unit, t.Declaration) and unit.type.name == "chan":
            diagnostics.error(codes.BAD_GLOBAL, "channels are made by procs.def", unit.span)
        elif isinstance(unit, t.Declaration) and unit.visibility is not None:
            diagnostics.error(codes.BAD_GLOBAL, f"no variable is `{unit.visibility}` here", unit.span)
    for name, inline in names.inlines.items():
        diagnostics.error(codes.BAD_GLOBAL, f"inline `{name}`: networks have no inlines", inline.span)
    return tuple(units)


def features_of(
    templates: Mapping[str, Template], units: tuple[t.Unit, ...], diagnostics: Diagnostics
) -> tuple[Feature, ...]:
    """Every feature that some template asks for."""
    found: dict[str, Feature] = {}
    shared = {*globals_of(units), *constants_of(units)}
    for template in templates.values():
        for feature in features_in(template.body, {*shared, *locals_of(template.body)}):
            first = found.setdefault(feature.name, feature)
            if first.arity != feature.arity:
                message = f"feature `{feature.name}` is used for one component and for pairs"
                notes = [("used otherwise here", first.span)]
                diagnostics.error(codes.WRONG_ARITY, message, feature.span, None, notes)
    return tuple(sorted(found.values(), key=lambda feature: feature.name))


def scopes_of(network: Network) -> dict[str, Scope]:
    shared, records, constants = globals_of(network.units), records_of(network.units), constants_of(network.units)
    features = {each.name: each for each in network.features}
    return {
        name: Scope(network.definition(name), shared, locals_of(template.body), records, features, constants)
        for name, template in network.templates.items()
    }


def flow_of(network: Network) -> Flow:
    return Flow({each.name: each for each in network.definitions}, network.templates, scopes_of(network))


def check_declarations(network: Network, diagnostics: Diagnostics) -> None:
    """Variables of globals.def begin with no id, or they would tell components apart, and messages have no channels in them:
    these come from `lookup`."""
    for declared in (node for node in walk(network.units) if isinstance(node, t.Declaration)):
        for item in declared.items if declared.type.name == "pid" else ():
            values = item.initial.values if isinstance(item.initial, t.ArrayInitial) else (item.initial,)
            if not all(value is None or (isinstance(value, t.Number) and value.value == 0) for value in values):
                message = f"`{item.name}` begins with the number of a component"
                diagnostics.error(codes.LITERAL_ID, message, item.span, "begin with 0, no component")
    records = records_of(network.units)
    for definition in network.definitions:
        if any(holds_channel(kind_of(field), records) for field in definition.fields):
            message = f"messages to `{definition.name}` have channels in them"
            diagnostics.error(codes.CHANNEL_USE, message, definition.span, "send an id, and use `lookup`")


def holds_channel(kind: str, records: Mapping[str, Mapping[str, Variable]]) -> bool:
    return kind == CHANNEL or any(holds_channel(each.kind, records) for each in records.get(kind, {}).values())


def check_templates(network: Network, diagnostics: Diagnostics) -> None:
    """The restrictions, then that the whole is a model, with places in the templates."""
    from coset.languages.features.generate import program
    from coset.languages.features.openness import check_open
    from coset.languages.promela.lower import lower

    for name, scope in scopes_of(network).items():
        for stray in stray_options(network.templates[name].body):
            diagnostics.error(codes.BAD_OPTION, "a template option begins an option of `if` or `do`", stray.span)
        for variable in scope.globals.values():
            if variable.name in ("in", "lookup", "NCOMP", "array"):
                diagnostics.error(codes.BAD_GLOBAL, f"`{variable.name}` has another meaning", variable.span)
        restrictions.check(scope, network.templates[name].body, diagnostics)
    check_declarations(network, diagnostics)
    if diagnostics.errors:
        return
    check_messages(flow_of(network), diagnostics)
    if diagnostics.errors:
        return
    try:
        lower(program(network), f"{network.name}.pml", diagnostics)
    except RecursionError:
        diagnostics.error(codes.BAD_OPTION, "the templates are nested too deeply", Span(network.globals, 0, 0))
    if not diagnostics.errors:
        check_open(network, diagnostics)
