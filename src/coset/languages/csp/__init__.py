"""CSP#, the language of the PAT model checker."""
