byte x;
init {
	x = `1`;
	x = 'ab';
	x = 'a;
	printf("unclosed);
	x$y = 1;
	x = 0x10;
	x = 1.5;
	x = 12ab;
	x = é;
	x = 010;
	x = 4294967296;
	x = 1 # 2
}
