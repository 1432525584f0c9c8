/* error: fault line 7 */
byte a[3], i;

active proctype P() {
	do
	:: i = i + 1
	:: a[i] = 1; i > 1
	od
}
