"""What users ask for, one module each: the command line, the server and the Python interface call these and show results."""
