/* error: assertion line 15 */
/* A deterministic step is one entry of the trail, whatever it does inside. */
byte x, i;

active proctype P() {
	d_step {
		do
		:: i < 3 -> i++; x = x + i
		:: else -> break
		od;
		if
		:: x == 6 -> x = 7
		:: x == 6 -> x = 8
		fi;
		assert(x == 8)
	}
}
