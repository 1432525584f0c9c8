mtype = { red };
typedef T { byte f };
proctype P() { skip }
inline f() { skip }
byte red, T, P, f;
init {
	byte len;
	red: skip;
	P: skip;
	T = 1;
	goto f;
	P = 1;
	red = 2
}
