/* error: deadlock */
/* The holder of control is stuck, and so is everybody else. */
byte x;

active proctype P() {
	atomic {
		x = 1;
		x == 2;
		x = 3
	}
}

active proctype Q() {
	x == 1;
	x == 5
}
