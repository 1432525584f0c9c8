/* error: assertion line 12 */
/* Statements that come from an inline and from macros. */
#define LIMIT 3
#define GROW(v) v = v + 1
byte x, y;

inline step(place) {
	GROW(place);
	if
	:: place < LIMIT
	:: place >= LIMIT ->
		assert(place < LIMIT)
	fi
}

active proctype P() {
	do
	:: step(x)
	:: step(y); GROW(y)
	od
}
