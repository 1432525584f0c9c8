byte x, y;
typedef R { byte p };
R r;
inline set(p, q) { p = q }
inline loop() { x = 1; again() }
inline again() { loop() }
inline broken(p) { p = ; x = 1 }
inline give(v) { return v + 1 }
inline first() { L: x = 1 }
inline typed(byte b) { skip }
inline nothing() { }
init {
	byte p, q;
	set(x);
	set(x, y, 3);
	set(q, p);
	set(r.p, 1);
	loop();
	broken(x);
	broken(y);
	give(1);
	x = give(2);
	first();
	nothing();
	x = 1 + set(x, y);
	set
}
