/* error: assertion line 8 */
/* The process of higher priority goes first while it can. */
byte x;

active proctype Low() priority 1 {
	x = x + 1;
	x = x + 2;
	assert(x != 12)
}

active proctype High() priority 5 {
	x = 10;
	x == 11;
	x = 10;
	x == 100
}
