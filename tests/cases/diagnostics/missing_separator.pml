/* Statements on one line need `;` or `->`. */
byte x, y;
active proctype P()
{
	x = 1 y = 2;
	if :: x == 1 y = 3 :: else -> skip fi x = 4
	foo z
}
