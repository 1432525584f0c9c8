"""`hypergraph`: symmetry of shared-variable programs by their coloured hypergraph (Clarke et al., CAV 1998)."""

from coset.symmetry.methods.hypergraph.detect import detect_hypergraph
from coset.symmetry.methods.hypergraph.diagram import Hyperedge, Hypergraph, hypergraph

__all__ = ["Hyperedge", "Hypergraph", "detect_hypergraph", "hypergraph"]
