"""What a run found: counts, errors, verdicts and traces."""
