/* error: assertion line 9 */
/* A formula and a claim in the file shift no numbers: the trail leaves them out. */
byte x;

ltl small { [] (x < 3) }

active proctype P() {
	x = 3;
	assert(x == 4)
}

never {
	do
	:: x == 9 -> break
	:: else
	od
}

active proctype Q() {
	skip
}
