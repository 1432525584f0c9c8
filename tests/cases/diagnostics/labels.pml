byte x;
init {
	goto A;
	{ A: x = 1 };
	atomic { B: x = 2; C: x = 3 };
	d_step { D: x = 4 };
	if :: E: x = 5 :: F: skip fi;
	G: byte y;
	H: x = 6 unless x == 7;
	x = 8 unless K: x == 9;
	M: { x = 10 } unless { x == 11 };
	goto 12
}
