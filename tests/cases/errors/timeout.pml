/* error: assertion line 12 */
chan c = [1] of { byte };
byte x;

active proctype P() {
	c?x
}

active proctype Watchdog() {
	timeout;
	x = 1;
	assert(x == 0)
}
