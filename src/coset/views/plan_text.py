"""A plan as text."""

from __future__ import annotations

from coset.results.plan import Plan, Range

UNITS = ((1 << 40, "TB"), (1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "KB"), (1, "B"))
TIMES = ((86400.0 * 365, "years"), (86400.0, "days"), (3600.0, "h"), (60.0, "min"), (1.0, "s"))
FITS = {True: "fits", False: "does not fit", None: "may not fit"}


def about(number: float) -> str:
    """Two digits that count.

    >>> about(1_234_567), about(12), about(4.26e17), about(0.5)
    ('1,200,000', '12', '4.3e+17', '0')
    """
    if number >= 1e15:
        return f"{number:.1e}"
    digits = max(0, len(str(int(number))) - 2)
    return f"{round(int(number), -digits):,}"


def in_bytes(number: float) -> str:
    return scaled(number, UNITS)


def in_seconds(number: float) -> str:
    """
    >>> in_seconds(0.2), in_seconds(7200), in_seconds(1e13)
    ('1 s', '2 h', '320,000 years')
    """
    return scaled(max(1, number), TIMES)


def scaled(number: float, units: tuple[tuple[float, str], ...]) -> str:
    size, name = next((each for each in units if number >= each[0]), units[-1])
    value = number / size
    return f"{value:.1f} {name}" if value < 10 and value != int(value) else f"{about(value)} {name}"


def between(range_: Range, shown: object = about) -> str:
    """
    >>> between(Range(10, 2000)), between(Range(10, None)), between(Range(7, 7))
    ('10 to 2,000', 'at least 10', '7')
    """
    assert callable(shown)
    low = shown(range_.low)
    if range_.high is None:
        return f"at least {low}"
    high = shown(range_.high)
    return low if low == high else f"{low} to {high}"


def plan(found: Plan) -> str:
    exact = "{:,.0f}".format
    states = exact(found.states.low) if found.complete else between(found.states)
    transitions = exact(found.transitions.low) if found.complete else between(found.transitions)
    seen = "all"
    if not found.complete:
        seen = f"the first {found.levels} levels, {found.seen:,} states, {found.nanoseconds:.0f} ns for each transition"
    symmetry = f", one for each orbit of {found.symmetry}" if found.symmetry else ""
    lines = [
        f"{found.model}: {found.steps} steps{symmetry}",
        f"  searched     {seen}",
        f"  states       {states}, {found.state_bytes} bytes each when packed",
        f"  transitions  {transitions}",
    ]
    if not found.complete:
        lines.append(
            f"  here         {in_bytes(found.usable_memory)} of memory, {in_bytes(found.free_disk)} free on disk"
        )
        for way in found.ways:
            parts = [f"{between(way.memory, in_bytes)} of memory"]
            parts += [f"{between(way.disk, in_bytes)} of files"] * (way.disk.high != 0)
            lines.append(f"  {way.name}: {', '.join([*parts, between(way.seconds, in_seconds)])}: {FITS[way.fits]}")
    if not found.complete and found.states.high is None:
        lines.append("  Levels still grow without an end in sight, so that there is no upper estimate.")
    lines.append(f"{found.advice[:1].upper()}{found.advice[1:]}{f': {found.take}' if found.take else ''}.")
    return "\n".join(lines)
