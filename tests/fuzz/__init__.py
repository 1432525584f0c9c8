"""Fuzzing: any input whatever, and every command ends in order.

    python -m tests.fuzz --minutes 10 [--seed S] [--inputs N] [--keep DIR]

An input is a set of files and a command line (`case`), made from a seed and a number (`inputs`): by mutation of models, traces,
checkpoints, generators and formulas (`mutate`), from the options that the parser has (`arguments`).  Each is run in a process
of its own (`run`) and judged (`judge`): exit codes other than 0 to 4, tracebacks, death by a signal, and more time or memory
than was allowed are faults.  A fault is made smaller (`shrink`) and kept in a folder with the command that shows it.
"""
