"""Passes for fewer steps: on SPIN's examples and our models, no more states than SPIN stores by default."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

import coset
from coset.model.passes import (
    LAST,
    PASSES,
    merged,
)
from coset.model.validate import validate
from tests.support.bisimulation import differences, run_pass
from tests.support.expectations import Expectation, all_expectations
from tests.support.paths import MODELS
from tests.support.spin_examples import EXAMPLES
from tests.support.spin_reference import spin_reference

MEASURED = """
Book_1991/p101.pml                     4       4       4  end
Book_1991/p102.pml                    19      19      19
Book_1991/p104.1.pml                   2       2       2  end
Book_1991/p104.2.pml                1594    1594     803
Book_1991/p105.1.pml                  33      33      33  end
Book_1991/p105.2.pml                  94      94      86
Book_1991/p107.pml                     3       3       3  end
Book_1991/p116.pml                    29      29      29  assertion end
Book_1991/p117.pml                   354     354     134  end
Book_1991/p123.pml                   132      24      23
Book_1991/p248.pml                   219     219     206
Book_1991/p312.pml                   160     171      81  assertion
Book_1991/p319.pml                  2066    2066    1448  end
Book_1991/p320.pml                    81      81      81
Book_1991/p329.pml                 90840   71099   49756
Book_1991/p330.pml                 90840   71099   49756
Book_1991/p337.pftp.ses.pml       287366   73330   30924
Book_1991/p347.pftp.ses5.pml      258051   78737   45109
Book_1991/p94.pml                     11      11      11
Book_1991/p95.1.pml                    3       3       2
Book_1991/p95.2.pml                    6       5       5
Book_1991/p96.1.pml                   20      20      20  end
Book_1991/p96.2.pml                   48      48      48
Book_1991/p97.1.pml                    9       9       9  end
Book_1991/p97.2.pml                   41      41      11
Book_1991/p99.pml                     11      11      10
Exercises/ex_1a.pml                  256     256       1
Exercises/ex_1f.pml                    7       7       7  end
Exercises/ex_2.pml                     2       2       2
Exercises/ex_3a.pml                   48      48      31
Exercises/ex_3b.pml                   43      43      34
Exercises/ex_3c.pml                  429     429     429  assertion
Exercises/ex_4.pml                    26      26      26  end
Exercises/ex_5.pml                   137     137     137
LTL/bakery.pml                      6196    6196    6196
LTL/diskhead.pml                     217     217     101
LTL/ltl_always_eventually.pml          3       3       2
LTL/ltl_example.pml                    3       3       2
LTL/mobile1.pml                    32668   30652    3064
LTL/mobile2.pml                    10865   10865    1081
LTL/salesman1.pml                   2015    2015    1952  end
LTL/salesman2.pml                    798     798     755  end
LTL/train.pml                      57482   57482   15152
LTL/zune.pml                         743     529     401
abp.pml                               12      12      10
calculator.pml                       572     568     245
eratosthenes.pml                   47669   25295    7260
for_example.pml                       32      24      19
for_select_example.pml               410     180      95  assertion
hajek.pml                         116087   45857    4871  assertion
hello.pml                              3       3       2
leader0.pml                        41692   15779     882
leader_trace.pml                   41692   15779     882
loops.pml                             17      15       4
manna_pnueli.pml                     117     117     117
pathfinder.pml                        12      12      12  end
peterson.pml                          55      55      55
priorities.pml                         ?       3       2
rtos1.pml                             12      11       9
sat.pml                               24      16       9  assertion
snoopy.pml                         91920   61619   50119  end
sort.pml                          659683  107713   44738
test_mtype.pml                        21       9       3  assertion end
welfare.pml                           53      53      33
werkplaats.pml                      1600    1600    1065  end
models/alternating_bit.pml            90      90      90
models/bakery.pml                   5865    5126    1111
models/barrier.pml                   860     496     252
models/cache_coherence.pml          2047    2047    2047
models/dekker.pml                    167     167     133
models/dynamic_workers.pml         18715   18715   10910
models/email_featured.pml          23256   23256   23256
models/email_small.pml              6491    6491    5131
models/email_symmetric_small.pml   28811    7691    6401
models/futex_mutex.pml             19639   17892     833
models/hypercube.pml                 962     962     906
models/job_server.pml               8072    3776     621
models/leader_election.pml           428     428     428
models/load_balancer.pml           44363   44363   44363
models/load_balancer_parameters.pml 43166 43166 43166
models/mutex_ticket.pml             1284    1284    1284
models/payloads.pml                6019    6568    1513
models/peterson.pml                 3521    2068    1003
models/philosophers.pml             1297    1297     728  end
models/philosophers_fixed.pml       2040    2040    2040
models/producer_consumer.pml         540     540     540
models/raft_election.pml            1764    1764    1764
models/readers_writers.pml           829     829     685
models/resource_allocator.pml       6401    6401    6401
models/teams.pml                    9154    9818    4780
models/three_tiered.pml             3421    3421     554
models/three_tiered_connect.pml     7841    7841       9
models/token_ring.pml              21505   21505   21505
models/two_phase_commit.pml         1055    1001     557
"""
"""States: plain, as SPIN stores them by default without partial order reduction, and with `merged`; and what is wrong with
the model.  SPIN's figures are those of 6.5.2 with `spin -a`, `-DSAFETY -DNOREDUCE -DNOCLAIM`, `pan -c0`; `?` is too many.
All models within 110,000 states of SPIN's default are here."""


@dataclass(frozen=True)
class Measured:
    """One line of the table."""

    name: str
    plain: int | None
    spin: int
    ours: int
    wrong: frozenset[str]

    def __str__(self) -> str:
        return self.name

    @property
    def path(self) -> Path:
        return MODELS.parent / self.name if self.name.startswith("models/") else EXAMPLES / self.name


def measured() -> list[Measured]:
    rows = [line.split() for line in MEASURED.strip().splitlines()]
    return [Measured(r[0], None if r[1] == "?" else int(r[1]), int(r[2]), int(r[3]), frozenset(r[4:])) for r in rows]


@pytest.mark.parametrize("row", measured(), ids=str)
def test_no_more_states_than_spin_and_the_same_verdict(row: Measured) -> None:
    assert row.ours <= row.spin
    smaller = merged(coset.load(row.path))
    assert validate(smaller) == []
    result = coset.explore(smaller, symmetry="off")
    wrong = {"assertion"} if result.errors.assertions else set()
    wrong |= {"end"} if result.errors.invalid_end_states else set()
    assert result.complete and not result.errors.faults and not result.errors.trace
    assert result.states == row.ours and wrong == row.wrong


@pytest.mark.long
@pytest.mark.parametrize("row", measured(), ids=str)
def test_the_table_is_what_spin_says(row: Measured) -> None:
    spin = spin_reference(row.path, spin_flags=())
    assert spin.ok and spin.states == row.spin
    wrong = {"assertion"} if spin.assertions else set()
    wrong |= {"end"} if spin.invalid_end_states else set()
    assert wrong == row.wrong


@pytest.mark.parametrize("row", [r for r in measured() if r.plain is not None and r.plain <= 2100], ids=str)
def test_bisimilar(row: Measured) -> None:
    model = coset.load(row.path)
    assert differences(model, merged(model)) == []


def test_every_shipped_model_was_measured() -> None:
    expected = {f"models/{x.path.name}" for x in all_expectations() if not x.defines}
    assert expected <= {row.name for row in measured()}


@pytest.mark.parametrize("expected", [x for x in all_expectations() if x.defines], ids=str)
def test_other_configurations(expected: Expectation) -> None:
    """The counts of the plain model are in its head comment; only the merged one is explored."""
    result = coset.explore(merged(coset.load(expected.path, dict(expected.defines))))
    counts = dict(expected.counts)
    assert result.complete and result.states <= counts["states"]
    assert bool(result.errors.assertions) == bool(counts["assertions"])
    assert bool(result.errors.invalid_end_states) == bool(counts["invalid_end_states"])


@pytest.mark.parametrize("path", sorted(MODELS.glob("*.pml")), ids=lambda path: path.name)
def test_shipped_models_are_well_formed(path: Path) -> None:
    model: coset.Model = coset.load(path)
    for pass_ in (*PASSES, LAST):
        model = run_pass(pass_, model)
        assert validate(model) == [], pass_.name
