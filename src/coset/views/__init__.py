"""Output for people: terminal, HTML, SVG."""
