/* error: assertion line 9 */
/* An atomic sequence that blocks loses control and gets it back. */
byte x;

active proctype P() {
	atomic {
		x = 1;
		x == 2;
		assert(x == 1)
	}
}

active proctype Q() {
	x == 1;
	x = 2
}
