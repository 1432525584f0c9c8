"""`channels`: symmetry by static channel diagrams, after SymmExtractor (Donaldson and Miller, FM 2005)."""

from coset.symmetry.certify_text import certify_text
from coset.symmetry.methods.channels.detect import detect_channels
from coset.symmetry.methods.channels.diagram import ChannelDiagram, channel_diagram

__all__ = ["ChannelDiagram", "certify_text", "channel_diagram", "detect_channels"]
