/* error: assertion line 17 */
/* Numbers of processes that ended are used again. */
byte last, sum;

proctype Child(byte value) {
	last = _pid;
	sum = sum + value
}

init {
	pid first, second;
	first = run Child(3);
	_nr_pr == 1;
	second = run Child(4);
	_nr_pr == 1;
	run Child(5);
	assert(first != second || sum != 7)
}
