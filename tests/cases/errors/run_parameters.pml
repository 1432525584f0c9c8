/* error: assertion line 8 */
/* Parameters of several types, records and channels among them. */
typedef pair { byte a; short b[2] };
chan c = [2] of { byte };

proctype Worker(byte n; chan out; bool flag) {
	pair own;
	own.b[1] = n - 2; assert(own.b[1] >= 0 || !flag);
	out!own.b[1]
}

init {
	atomic {
		run Worker(2, c, false);
		run Worker(1, c, true)
	}
}
