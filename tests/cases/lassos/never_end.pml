/* error: never overtaken */
/* A claim that comes to its end has seen a run that must not be; the claim stands between the processes. */
byte x;

active proctype P() {
	x = 1;
	d_step { x = 2; x = x + 1 };
	x = 4
}

never overtaken {
	do
	:: x == 3 -> break
	:: else
	od
}

active proctype Q() {
	skip
}
