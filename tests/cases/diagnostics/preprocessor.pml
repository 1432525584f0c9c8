#define ADD(a, b) a + b
#define N 3
#define N 4
#define BAD(a
#define 7up
#defin M 2
#include "no_such_file.h"
#if N ==
#endif
#if N > (2
#elif 1
#else
#else
#endif
#ifdef
#endif
#error stop here
#warning take care
#endif
byte x;
init {
	x = ADD(1);
	x = ADD(1, 2, 3);
	x = ADD(N, ) ;
	x = N N
}
#if 1
