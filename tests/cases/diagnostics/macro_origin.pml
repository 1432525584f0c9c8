/* An error in text that a macro produced is shown where the macro is used. */
#define INCREASE(v) v += 1
#define TWICE(v) INCREASE(v); INCREASE(v)
#define OOPS x = )
byte x, y;
init {
	TWICE(x);
	y = 2;
	OOPS;
	INCREASE(y)
}
