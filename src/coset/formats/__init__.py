"""Output for programs: JSON and its schemas, SARIF, JUnit, DOT, trails."""
