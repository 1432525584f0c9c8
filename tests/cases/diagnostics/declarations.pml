byte = { a, b };
mtype = { red, 1 };
byte x = { 1, 2 };
byte n = 3;
byte a[n + 1];
chan c = [n] of { byte };
chan d = [1] { byte };
chan e = [1] of { unsigned, foo };
unsigned u;
byte w : 3;
unsigned v : 40;
byte:fruit f;
hidden show byte h;
byte p = run P();
proctype P(byte i = 3; j) { skip }
proctype Q(byte i, byte j) { skip }
typedef T { byte a; a b; c }
T T;
init {
	mtype = { blue };
	hidden byte z;
	x = 1;
	chan late = [1] of { byte };
	byte true, do
}
