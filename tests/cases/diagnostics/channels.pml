chan c = [2] of { byte, byte };
byte x, y;
init {
	c!;
	c!1,;
	c?x + 1,y;
	c?(x,y),1;
	c?<x,y;
	c?[x,y;
	x = c?y;
	c?eval x,y;
	c!x,y(3);
	c!!1(2);
	c??1(x);
	x = len c;
	x = len(c
}
