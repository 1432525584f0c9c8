/* error: assertion line 25 */
/* A goto that others look at is split into a skip and a goto, and where they look first SPIN leaves out a number. */
byte x;

active proctype Walker() {
	do
	:: x < 2 -> x++
	:: x >= 2 -> break
	:: x == 7 -> side: goto last
	od;
again:	goto last;
	x = 9;
last:	x = 6
}

active proctype Watcher() {
	if
	:: Walker@again -> x = 3
	:: Walker@side && !Walker@again -> x = 4
	:: else -> x = x + 2
	fi;
	x = x + 1;
	!Walker@side;
	x = x + 1;
	assert(x < 6)
}
