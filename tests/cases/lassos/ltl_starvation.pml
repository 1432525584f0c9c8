/* error: ltl served */
chan ask = [0] of { byte };
byte turn;

ltl served { [] (turn == 1 -> <> (turn == 2)) }

active proctype Server() {
	do
	:: ask?turn
	od
}

active [2] proctype Client() {
	do
	:: ask!_pid
	od
}
