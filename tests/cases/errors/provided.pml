/* error: assertion line 13 */
/* A process that may only run while another lets it. */
bool go;
byte x;

active proctype P() provided (go) {
	x = 1;
	x = 2
}

active proctype Q() {
	go = true; go = false;
	assert(x != 1)
}
