"""The language of shared-variable programs, `.spl`: classes of processes, finite types, labelled statements."""
