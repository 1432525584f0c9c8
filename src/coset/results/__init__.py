"""Results: counts, errors, verdicts, traces, and events."""
