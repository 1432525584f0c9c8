"""The grammar of random programs: `scope` (what is known), `expressions`, `statements`, `program`."""
