"""One description of every command and every option.  The parsers of the command line, shell completion, the server's form and
docs/commands.md are made from it; tests compare it with the keywords of the Python API and with the JSON Schemas.

`catalogue` has them all.  Nothing heavy is imported here, so that `coset --help` answers at once.
"""
