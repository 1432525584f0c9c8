byte x, i;
init {
	while (x < 3) { x = x + 1 };
	x += 1;
	x <<= 2;
	switch (x) { case 1: skip };
	if (x == 1) { x = 2 } else { x = 3 };
	for (i = 0; i < 3; i++) { x++ };
	++x;
	x = i++;
	return 3;
	x = 0x1F;
	x = 1
}
