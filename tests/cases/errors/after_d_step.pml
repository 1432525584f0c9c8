/* error: assertion line 15 */
byte x;

active [2] proctype P() {
	byte i;
	do
	:: d_step { x < 4 -> x++; i = x }
	:: d_step { x == 4 -> x = 0 }
	:: i == 3 -> break
	od;
	if
	:: d_step { i == 3 -> i = 0 };
		x = 9
	fi;
	assert(x != 9)
}
