"""The local web page: the models of a folder, their sources, and runs of commands, with progress, cancellation and results.

Each command runs in its own process: results are the same as on the command line, a search can be cancelled at any moment,
and no search can crash the server.
"""
