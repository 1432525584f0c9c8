"""The concurrent model: the one seam between languages above and symmetry and engines below.

`domain` and `expression` say what values and expressions are, `model` what a system of processes is,
`printer` shows it, `validate` tells whether it is well-formed, and `interpreter` is its meaning.
"""
