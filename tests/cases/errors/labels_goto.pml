/* error: assertion line 14 */
byte x;

active [2] proctype P() {
start:	if
	:: x < 3 -> goto grow
	:: x >= 3 -> goto fail
	fi;
grow:	x++;
	if
	:: goto start
	:: skip
	fi;
fail:	assert(x != 3);
	goto start
}
