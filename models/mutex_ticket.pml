/*
 * A ticket lock, as in many operating systems (Mellor-Crummey and Scott
 * describe it, 1991). N threads; a thread draws the next number in one
 * atomic step, waits until that number is served, and on leaving calls the
 * next one. Numbers wrap around at N, which is enough, since no more than N
 * threads hold one. Threads never look at each other's names: N! symmetries.
 *
 * expect: states 1284 transitions 2497 assertions 0 invalid_end_states 0
 * expect -DN=3: states 228 transitions 415 assertions 0 invalid_end_states 0
 * expect -DN=6: states 58686 transitions 117217 assertions 0 invalid_end_states 0
 * group: 24
 * property exclusion: holds
 * property someone_enters: holds
 */

#ifndef N
#define N 4
#endif

byte next_ticket;
byte now_serving;
byte inside;

active [N] proctype thread()
{
	byte mine;

	do
	:: atomic { mine = next_ticket; next_ticket = (next_ticket + 1) % N };
		now_serving == mine;
		inside++;
		assert(inside == 1);
		inside--;
		atomic { now_serving = (now_serving + 1) % N; mine = 0 }
	od
}

ltl exclusion { [] (inside <= 1) }
ltl someone_enters { [] <> (inside == 1) }
