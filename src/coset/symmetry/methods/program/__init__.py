"""`program`, the default method: the whole text of a model as one coloured graph."""
