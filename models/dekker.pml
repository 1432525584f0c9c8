/*
 * Dekker's algorithm, the first correct solution of mutual exclusion for two
 * processes by reading and writing alone (Dijkstra told it in 1965). A
 * process announces its wish; if both wish, the one whose turn it is not
 * steps back until the other has been inside. Whose turn it is at the start
 * is left open, so that swapping the processes is a symmetry.
 *
 * expect: states 167 transitions 315 assertions 0 invalid_end_states 0
 * group: 2
 * property exclusion: holds
 * property someone_enters: violated
 */

bool wants[3];		/* indexed by pid: 1 and 2 */
pid turn;
byte inside;

#define other	(3 - _pid)

proctype process()
{
	do
	:: wants[_pid] = true;
		do
		:: wants[other] ->
			if
			:: turn == other ->
				wants[_pid] = false;
				turn == _pid;
				wants[_pid] = true
			:: else -> skip
			fi
		:: else -> break
		od;
		inside++;
		assert(inside == 1);
		inside--;
		turn = other;
		wants[_pid] = false
	od
}

init {
	atomic {
		if
		:: turn = 1
		:: turn = 2
		fi;
		run process();
		run process()
	}
}

ltl exclusion { [] (inside <= 1) }
ltl someone_enters { [] <> (inside == 1) }
