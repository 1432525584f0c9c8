/* One error per statement, and everything after it is still checked. */
byte x, y;
active proctype A()
{
	x = = 1;
	y = (1 + ;
	x = 2;
	if
	:: x == -> y = 1; y = 2
	:: y == 1 -> x = * 3
	:: else -> do :: x = 1 + od
	fi;
	x = 3 +
}
active proctype B()
{
	x = @;
	y = 2
}
