/* error: deadlock */
/* The thief takes the answer that the client waits for.  Only the server may wait for ever. */
chan ask = [0] of { byte };
chan answer = [0] of { byte };

active proctype Server() {
	byte n;
end:	do
	:: ask?n -> atomic { answer!n; n = 0 }
	od
}

active proctype Client() {
	byte n;
	ask!_pid + 6;
	answer?n;
	ask!n
}

active proctype Thief() {
	byte n;
	answer?n;
	n = 0
}
