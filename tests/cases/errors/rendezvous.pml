/* error: assertion line 17 */
/* Two senders, and who comes first is not decided. */
mtype = { ping, pong };
chan c = [0] of { mtype, byte };

active proctype A() {
	c!ping(1)
}

active proctype B() {
	c!pong(2)
}

active proctype C() {
	mtype m; byte n;
	c?m, n;
	assert(m == ping)
}
