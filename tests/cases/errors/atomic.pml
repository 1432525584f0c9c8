/* error: assertion line 10 */
/* Inside `atomic`, after a choice; the other process cannot come between. */
byte x;

active proctype P() {
	atomic {
		x = 1;
		if
		:: x == 1 -> x = 2
		:: x == 1 -> x = 3; assert(x != 3)
		fi
	}
}

active proctype Q() {
	x = 7;
	x = 8
}
