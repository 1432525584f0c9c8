/* An option outside of `if` and `do`, in a process that is not closed before the next one. */
proctype Lost() {
	:: active proctype Next() { skip }
