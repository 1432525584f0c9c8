/* error: deadlock */
/* Some end well, some do not: one may stay at its end label, one may not stay where it is. */
chan ask = [0] of { byte };
chan answer = [0] of { byte };

active proctype Server() {
	byte n;
end:	do
	:: ask?n -> answer!n
	od
}

active [2] proctype Client() {
	byte n;
	ask!_pid;
	answer?n;
	n == _pid;
	n = 0
}

active proctype Short() {
	skip
}
