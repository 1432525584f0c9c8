"""What `coset features prove` claims for every size, against networks of up to five components with random features.

Networks with too many states are named in a warning, and which may be too large is said here: they are never just left out.
"""

from __future__ import annotations

import random
import warnings
from pathlib import Path

import pytest

from coset.features.load import load
from coset.features.prove import prove
from coset.features.verify import Formula, Limits, specification, verify
from coset.languages.features.tree import Network
from coset.results.verdict import Verdict
from tests.support.feature_folders import FOLDER
from tests.support.featured_networks import compared, larger_networks

SIZES = range(1, 6)
STATES = 2_000_000
"""A larger network is too large for a test."""

MAY_BE_TOO_LARGE = {"email": 4, "telephone": 5}
"""From so many components on."""

OWN = "[] (last_del_to[1] == 0 || last_del_to[1] == 1)"
PROVED = [
    ("telephone", ["OCO[1]"], "[] ! user[1]@talert", "any"),
    ("telephone", ["TCO[1]"], "[] ! user[1]@dialing", "any"),
    ("telephone", ["TCS[(1,2)]"], "[] ! (user[1]@talert && partner[1] == 2)", "any"),
    ("telephone", ["OCS[(1,2)]"], "[] ! (user[1]@oalert && partner[1] == 2)", "none"),
    ("telephone", ["TCO[1]"], "[] (dialled[1] == 0)", "any"),
    ("telephone", ["OCO[1]", "TCO[1]"], "[] (partner[1] == 0)", "any"),
    ("email", [], OWN, "none"),
    ("email", ["FILTER[(1,2)]"], "[] (last_del_from[1] != 2)", "any"),
    ("email", ["FORWARD[(1,2)]"], "[] (last_del_to[1] != 1)", "any"),
    ("email", ["ENCRYPT[1]"], "[] (last_del_from[2] == 1 -> last_del_key[2] != 0)", "none"),
    ("email", ["AUTORESP[1]"], "(last_resp_to[1] != 2) W (last_del_from[1] == 2)", "any"),
]  # fmt: skip
NOT_SO = [
    ("email", [], OWN, "any"),
    ("email", [], "[] (last_del_from[1] != 2)", "none"),
    ("email", ["ENCRYPT[1]", "AUTORESP[1]"], "[] (last_del_from[2] == 1 -> last_del_key[2] != 0)", "none"),
    ("email", ["ENCRYPT[1]"], "[] (last_del_key[2] == 0 || last_del_key[2] == 2)", "any"),
    ("telephone", ["OCS[(1,2)]"], "[] ! (user[1]@oalert && partner[1] == 2)", "any"),
    ("telephone", ["TCS[(1,2)]"], "[] ! user[1]@talert", "none"),
    ("telephone", ["CFU[(1,2)]"], "[] ! user[1]@talert", "none"),
]  # fmt: skip
"""Some network violates it."""


def too_many_states(network: Network, formula: str) -> bool:
    """Whether a network has too many states to be decided; it is named then.  It must not violate the formula."""
    asked = Formula("p", formula)
    (found,) = verify(specification(network, [asked]), "network.pml", [asked], Limits(states=STATES))
    features = ", ".join(str(each) for each in network.features if each.members) or "no features"
    name = f"{network.name} with {network.definitions[0].count} components, {features}: {formula}"
    assert found.verdict is not Verdict.VIOLATED, name
    if found.verdict is Verdict.UNKNOWN:
        assert found.reason is not None
        warnings.warn(f"too large: {name} ({found.reason})", stacklevel=1)
    return found.verdict is Verdict.UNKNOWN


def check_proved(name: str, features: list[str], formula: str, others: str, sizes: range, tries: int) -> None:
    network, _ = load(FOLDER / name, None, features)
    found = prove(network, Formula("p", formula), others=others)
    assert found.verdict is Verdict.HOLDS and found.for_all == f"N >= {found.kept}"
    rng = random.Random(formula)
    for size in sizes:
        for larger in larger_networks(rng, network, found.kept, size, others, tries) if size >= found.kept else ():
            if too_many_states(larger, formula):
                assert size >= MAY_BE_TOO_LARGE[name]


def test_proved_of_the_telephone_network() -> None:
    check_proved(*PROVED[5], range(2, 4), 1)


@pytest.mark.long
@pytest.mark.parametrize(("name", "features", "formula", "others"), PROVED)
def test_proved_of_both_networks(name: str, features: list[str], formula: str, others: str) -> None:
    check_proved(name, features, formula, others, SIZES, 2)


@pytest.mark.long
@pytest.mark.parametrize(("name", "features", "formula", "others"), NOT_SO)
def test_what_fails_for_some_size_is_not_claimed(name: str, features: list[str], formula: str, others: str) -> None:
    network, _ = load(FOLDER / name, None, features)
    found = prove(network, Formula("p", formula), others=others)
    assert found.verdict is Verdict.VIOLATED and found.attempts[-1].outcome.trace is not None


def test_random_networks_of_up_to_five_nodes(tmp_path: Path) -> None:
    assert compared(0, tmp_path, range(3, 6, 2))


@pytest.mark.long
def test_many_random_networks_of_up_to_five_nodes(tmp_path: Path) -> None:
    told = [line for seed in range(1, 25) for line in compared(seed, tmp_path, range(2, 6))]
    assert len(told) > 10
    for line in told:
        if "?" in line:
            warnings.warn(f"too large: {line}", stacklevel=1)
