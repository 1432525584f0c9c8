"""The compiled engine: generated C for the model, a C runtime for the search, both loaded into the process."""
