byte x;
proctpye P() { x = 1 }
active proctyp Q() { x = 1 }
inti { skip }
active proctype R(bite a)
{
	bol b;
	atomc { x = 1 };
	prinft("x\n");
	asert(x == 1);
	gto L;
L:	skip
}
