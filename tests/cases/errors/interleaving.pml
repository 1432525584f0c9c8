/* error: assertion line 15 */
/* The lost update: both processes read before either writes. */
byte x, done;

active [2] proctype Adder() {
	byte own;
	own = x;
	x = own + 1;
	done++
}

active proctype Judge() {
	byte seen;
	done == 2;
	assert(x == 2)
}
