"""Promela, the language of SPIN: text -> syntax tree -> concurrent model."""
