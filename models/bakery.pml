/*
 * Lamport's bakery algorithm (1974) for N processes, with bounded tickets. A
 * process that wants to enter takes a ticket above all others that it sees,
 * one after the other, and then waits for everybody with a smaller ticket;
 * two processes may draw the same number, and then the smaller pid goes
 * first. Tickets end at MAX: a process that would have to go beyond gives up
 * and tries again later. Ties are broken by pid, which leaves no symmetry.
 *
 * expect: states 5865 transitions 11326 assertions 0 invalid_end_states 0
 * expect -DMAX=6: states 8857 transitions 17062 assertions 0 invalid_end_states 0
 * expect-large -DN=3 -DMAX=3: states 633458 transitions 1817282 assertions 0 invalid_end_states 0
 * group: 1
 * property exclusion: holds
 */

#ifndef N
#define N 2
#endif
#ifndef MAX
#define MAX 4
#endif

bool choosing[N];
byte ticket[N];		/* 0: does not want to enter */
byte inside;

active [N] proctype customer()
{
	byte highest, k;

	do
	:: choosing[_pid] = true;
		highest = 0;
		for (k : 0 .. N - 1) {
			if
			:: ticket[k] > highest -> highest = ticket[k]
			:: else -> skip
			fi
		}
		if
		:: highest < MAX -> ticket[_pid] = highest + 1
		:: else -> skip
		fi;
		choosing[_pid] = false;

		if
		:: ticket[_pid] == 0 -> skip
		:: else ->
			for (k : 0 .. N - 1) {
				!choosing[k];
				(ticket[k] == 0 || ticket[k] > ticket[_pid] || (ticket[k] == ticket[_pid] && k >= _pid))
			}
			inside++;
			assert(inside == 1);
			inside--;
			ticket[_pid] = 0
		fi
	od
}

ltl exclusion { [] (inside <= 1) }
