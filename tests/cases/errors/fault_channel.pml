/* error: fault line 7 */
/* A send to a channel that is none. */
chan c;

active proctype P() {
	byte n = 1;
	c!n
}
