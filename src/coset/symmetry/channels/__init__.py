"""`channels`: symmetry by static channel diagrams, after SymmExtractor (Donaldson and Miller, FM 2005)."""

from coset.symmetry.channels.detect import detect_channels
from coset.symmetry.channels.diagram import ChannelDiagram, channel_diagram
from coset.symmetry.channels.text import certify_text

__all__ = ["ChannelDiagram", "certify_text", "channel_diagram", "detect_channels"]
