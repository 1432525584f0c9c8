"""The tasks of users, one module each: the command line, the server and the Python interface call them and show results."""
