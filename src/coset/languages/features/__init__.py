"""Featured networks: three files of definitions and a template per proctype (Miller, Calder and Donaldson 2007)."""
