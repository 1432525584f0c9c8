/*
 * A mutex built on a futex, in the spirit of Drepper's "Futexes are tricky"
 * (2004). The lock word is 0 (free), 1 (taken, nobody sleeps) or 2 (taken,
 * somebody may sleep). A thread that fails to turn 0 into 1 marks the word
 * as contended and goes to sleep in the kernel, unless the word has changed
 * meanwhile; unlocking a contended word wakes one sleeper. The kernel keeps
 * no order among sleepers, so that all N! permutations are symmetries.
 *
 * expect: states 19639 transitions 56566 assertions 0 invalid_end_states 0
 * expect -DN=2: states 593 transitions 1155 assertions 0 invalid_end_states 0
 * expect-large -DN=4: states 555673 transitions 2120197 assertions 0 invalid_end_states 0
 * group: 6
 * property exclusion: holds
 * property someone_enters: holds
 */

#ifndef N
#define N 3
#endif

byte word;		/* the lock word in user space */
byte sleepers;		/* threads asleep in the kernel */
byte wakeups;		/* wake-up calls that a sleeper has still to hear */
byte inside;

/* old = word, and word = new, in one step */
inline exchange(new)
{
	atomic { old = word; word = new }
}

/* sleep, if the word still has the value that the thread has seen */
inline futex_wait(value)
{
	atomic {
		if
		:: word == value -> sleepers++; wakeups > 0 -> wakeups--
		:: else -> skip
		fi
	}
}

/* wake one sleeper, if there is any */
inline futex_wake()
{
	atomic {
		if
		:: sleepers > 0 -> sleepers--; wakeups++
		:: else -> skip
		fi
	}
}

active [N] proctype thread()
{
	byte old;

	do
	:: atomic {		/* compare and swap */
			old = word;
			if
			:: word == 0 -> word = 1
			:: else -> skip
			fi
		};
		if
		:: old == 1 -> exchange(2)
		:: else -> skip
		fi;
		do
		:: old == 0 -> break
		:: else -> futex_wait(2); exchange(2)
		od;

		inside++;
		assert(inside == 1);
		inside--;

		exchange(0);
		if
		:: old == 2 -> futex_wake()
		:: else -> skip
		fi
	od
}

ltl exclusion { [] (inside <= 1) }
ltl someone_enters { [] <> (inside == 1) }
