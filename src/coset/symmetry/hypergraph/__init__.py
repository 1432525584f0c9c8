"""`hypergraph`: symmetry of shared-variable programs by their coloured hypergraph (Clarke et al., CAV 1998)."""

from coset.symmetry.hypergraph.detect import detect_hypergraph
from coset.symmetry.hypergraph.diagram import Hyperedge, Hypergraph, hypergraph

__all__ = ["Hyperedge", "Hypergraph", "detect_hypergraph", "hypergraph"]
