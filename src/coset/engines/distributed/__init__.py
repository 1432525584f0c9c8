"""Searches by several processes, on one machine or on many (ADR 76)."""
