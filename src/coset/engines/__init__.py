"""Engines: they know the model and nothing of languages."""
