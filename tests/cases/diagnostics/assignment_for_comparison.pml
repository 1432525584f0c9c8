byte x, y;
init {
	if
	:: (x = 1) -> y = 2
	:: x == 1 && y = 2 -> y = 3
	fi;
	assert(x = 3);
	x = y = 4
}
