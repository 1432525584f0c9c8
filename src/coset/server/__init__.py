"""The local web page: models of a folder, their texts, and runs of commands that one can watch, cancel and look at.

Everything that it answers comes from the commands themselves, which run as processes of their own: what is shown is what
one would get by typing the same, a search can be cancelled at any moment, and none can take the server down.
"""
