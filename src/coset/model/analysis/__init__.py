"""What holds of a model, found without exploring it.

    occurrences expressions, places and variables, by where they occur
    ranges      the values that variables and expressions may have
    liveness    where the value of a variable may still be read
    choice      whether exactly one of several guards holds
    facts       what other processes and properties can see: what passes need to know
    aspects     the ways in which a step can touch an object, and which two of them conflict (`CONFLICTS`)
    channels    which channels an expression may denote
    accesses    what expressions, effects, edges, whole steps and the future of a process touch

Aspects and accesses are the one theory behind every reduction that leaves out interleavings: what a step touches, and
which other steps can notice it.

Two steps of different processes are *independent* in a state if no access of one conflicts with an access of the other:
then they commute, and neither enables or disables the other (Mazurkiewicz, Trace theory, 1987).  Each reduction is a
condition in these terms:

* *merging* (`passes/merge`, `passes/transient_choices`): a step may be joined to its neighbours if it cannot fail and
  conflicts with nothing that any process or property ever does (Lipton, CACM 18(12), 1975: a *both mover*);
* *dead-variable reset* (`passes/reset`): only variables that no other process and no property reads;
* *partial order reduction* (`engines/explicit/stubborn`): a set of processes may move alone if no access of their
  current steps conflicts with an access in the future of any other process (Valmari, APN 1990; Holzmann and Peled,
  FORTE 1994);
* *stepwise start* (`symmetry/startup`): processes may be taken to start at once if starting them conflicts with nothing.
"""

from coset.model.analysis.accesses import Access, Accesses
from coset.model.analysis.aspects import CONFLICTS, Aspect, conflict
from coset.model.analysis.channels import Channels

__all__ = ["CONFLICTS", "Access", "Accesses", "Aspect", "Channels", "conflict"]
