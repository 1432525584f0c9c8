/* error: deadlock */
/* Two locks taken in opposite order. */
bool held[2];

active [2] proctype P() {
	byte mine;
	mine = _pid;
	do
	:: atomic { !held[mine] -> held[mine] = true };
		atomic { !held[1 - mine] -> held[1 - mine] = true };
		held[mine] = false;
		held[1 - mine] = false
	od
}
