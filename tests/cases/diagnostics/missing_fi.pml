/* Each block that is left open is reported where it should have ended. */
byte x;
active proctype P()
{
	do
	:: x < 3 ->
		if
		:: x == 1 -> x = 2
	:: x >= 3 -> break
	od
}
active proctype Q()
{
	atomic {
		x = 1
}
active proctype R()
{
	do :: x = 1 fi;
	if :: x = 2 od;
	x = 3
}
