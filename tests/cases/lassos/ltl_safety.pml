/* error: ltl small */
/* A formula that a finite run violates, whatever comes next. */
byte x;

ltl small { [] (x < 2) && (true U x == 0) }

active proctype P() {
	do
	:: x++
	:: x > 0 -> x--
	od
}
