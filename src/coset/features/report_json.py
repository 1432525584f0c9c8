"""The JSON objects of `coset features` (schema: `formats/schemas/features.json`)."""

from __future__ import annotations

from typing import Any

from coset.features.interactions import Analysis, CaseResult
from coset.features.load import diagram
from coset.features.prove import Proof
from coset.features.verify import Outcome
from coset.formats.json_output import head
from coset.languages.features.flow import sends_to
from coset.languages.features.load import flow_of
from coset.languages.features.tree import Network

Json = dict[str, Any]


def network_of(network: Network) -> Json:
    return {
        "name": network.name,
        "components": [{"id": number, "type": name} for number, name in network.types.items()],
        "features": [
            {"name": each.name, "arity": each.arity, "members": [list(member) for member in each.members]}
            for each in network.features
        ],
    }


def generated(network: Network, text: str, output: str | None) -> Json:
    flow = flow_of(network)
    balanced = {each.name: sends_to(flow, each.name) for each in network.definitions}
    return {
        **head("features"),
        "action": "generate",
        "network": network_of(network),
        "sends_to": [{"type": name, "to": to} for name, to in balanced.items()],
        "promela": text,
        "output": output,
    }


def drawn(network: Network, dot: str, output: str | None) -> Json:
    found = diagram(network)
    return {
        **head("features"),
        "action": "diagram",
        "network": network_of(network),
        "edges": [
            {"host": host, "partner": partner, "features": sorted(names)} for host, partner, names in found.edges
        ],
        "symmetry": {"order": found.group.order, "generators": [found.show(g) for g in found.group.generators]},
        "dot": dot,
        "output": output,
    }


def outcome(found: Outcome | None) -> Json | None:
    if found is None:
        return None
    return {
        "name": found.name,
        "formula": found.formula,
        "verdict": found.verdict.value,
        "states": found.states,
        "seconds": found.seconds,
        "reason": found.reason,
        "trace": found.trace,
    }


def case(found: CaseResult) -> Json:
    return {
        "first": str(found.case.first),
        "second": str(found.case.second),
        "one_host": found.one_host,
        "interacts": found.interacts,
        "properties": [outcome(each) for each in found.outcomes],
    }


def analysed(found: Analysis) -> Json:
    return {
        **head("features"),
        "action": "interactions",
        "network": network_of(found.network),
        "features": list(found.features),
        "validations": [
            {
                "feature": str(each.instance),
                "valid": each.valid,
                "alone": outcome(each.alone),
                "without": outcome(each.without),
            }
            for each in found.validations
        ],
        "cases": [case(each) for each in found.cases],
        "interactions": [str(each.case) for each in found.interactions],
        "complete": found.complete,
        "runs": found.runs,
        "seconds": found.seconds,
    }


def proved(network: Network, found: Proof) -> Json:
    return {
        **head("features"),
        "action": "prove",
        "network": network_of(network),
        "formula": found.formula.text,
        "verdict": found.verdict.value,
        "for_all": found.for_all,
        "kept": found.kept,
        "others": found.others,
        "reasons": list(found.reasons),
        "abstraction": outcome(found.abstraction),
        "attempts": [
            {"components": each.size, "features": each.features, "result": outcome(each.outcome)}
            for each in found.attempts
        ],
        "promela": found.text or None,
        "seconds": found.seconds,
    }
