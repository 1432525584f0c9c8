"""The front ends: each turns text of one language into the concurrent model."""
