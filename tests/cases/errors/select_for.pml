/* error: assertion line 11 */
byte a[3];

active proctype P() {
	byte i, k;
	for (i : 0 .. 2) {
		select(k : 1 .. 3);
		a[i] = k
	}
	printf("%d %d %d\n", a[0], a[1], a[2]);
	assert(a[0] + a[1] + a[2] < 9)
}
