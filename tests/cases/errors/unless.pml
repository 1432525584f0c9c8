/* error: assertion line 16 */
/* An escape interrupts the loop. */
byte x;
bool stop;

active proctype P() {
	{
		do
		:: x < 5 -> x++
		:: else -> x = 0
		od
	} unless {
		stop;
		x = x + 100
	};
	assert(x != 103)
}

active proctype Q() {
	x == 3;
	stop = true
}
