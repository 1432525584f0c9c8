/*
 * Producers and consumers with a bounded buffer, synchronised by counting
 * semaphores (Dijkstra, 1965): one counts free places, one counts items, and
 * a third, binary, protects the buffer. P producers put items in, C consumers
 * take them out. Producers are interchangeable, and so are consumers:
 * P! * C! symmetries.
 *
 * expect: states 540 transitions 1333 assertions 0 invalid_end_states 0
 * expect -DP=3 -DC=3: states 1832 transitions 5047 assertions 0 invalid_end_states 0
 * expect -DP=1 -DC=1 -DSIZE=8: states 245 transitions 421 assertions 0 invalid_end_states 0
 * group: 4
 * property bounded: holds
 * property consumed: holds
 */

#ifndef P
#define P 2
#endif
#ifndef C
#define C 2
#endif
#ifndef SIZE
#define SIZE 3		/* places of the buffer */
#endif

byte places = SIZE;	/* semaphore: free places */
byte items;		/* semaphore: items to be taken */
byte mutex = 1;		/* semaphore: the buffer itself */

byte stored;		/* what the buffer holds */
byte taking;		/* consumers that are taking an item */

inline down(semaphore)
{
	atomic { semaphore > 0 -> semaphore-- }
}

inline up(semaphore)
{
	semaphore++
}

active [P] proctype producer()
{
	do
	:: down(places);
		down(mutex);
		stored++;
		assert(stored <= SIZE);
		up(mutex);
		up(items)
	od
}

active [C] proctype consumer()
{
	do
	:: down(items);
		down(mutex);
		taking++;
		assert(stored > 0);
		stored--;
		taking--;
		up(mutex);
		up(places)
	od
}

ltl bounded { [] (stored <= SIZE) }
ltl consumed { [] <> (taking > 0) }
