/* error: assertion line 9 */
byte x;

active [2] proctype P() {
	byte own;
	own = x;
	own++;
	x = own;
	assert(x != 1 || _nr_pr == 2)
}
