/*
 * Leader election in a directed ring by the algorithm of Chang and Roberts
 * (1979). Node i sends to node i+1 and knows nothing of the ring's size.
 * Any node may call an election by sending its own identity; a node hands on
 * identities above its own and swallows those below; an identity that comes
 * back to its owner has beaten all others, and a second round announces it.
 * The identity of node i is i: comparing identities leaves no symmetry.
 *
 * expect: states 428 transitions 1717 assertions 0 invalid_end_states 0
 * expect -DN=3: states 31 transitions 55 assertions 0 invalid_end_states 0
 * expect -DN=8: states 2840 transitions 15740 assertions 0 invalid_end_states 0
 * group: 1
 * property elected: holds
 * property highest_wins: holds
 * property agreement: holds
 */

#ifndef N
#define N 6
#endif

#define NOBODY	N

mtype = { candidate, leader };

chan ring[N] = [N] of { mtype, byte };

byte winner = NOBODY;
byte informed;		/* nodes that know the winner */

#define in	ring[_pid]
#define out	ring[(_pid + 1) % N]

active [N] proctype node()
{
	byte id;
	bool running;	/* has put its own identity on the ring */

	do
	:: atomic { !running -> running = true; out!candidate,_pid }
	:: atomic {
			in?candidate,id ->
			if
			:: id > _pid -> running = true; out!candidate,id
			:: id < _pid && !running -> running = true; out!candidate,_pid
			:: id < _pid && running -> skip
			:: id == _pid ->
				assert(winner == NOBODY);
				winner = id;
				out!leader,id
			fi;
			id = 0
		}
	:: in?leader,id -> break
	od;
	assert(id == winner);
	atomic {
		informed++;
		if
		:: id != _pid -> out!leader,id
		:: else -> skip
		fi
	};
end:	false
}

ltl elected { <> (winner != NOBODY) }
ltl highest_wins { [] (winner == NOBODY || winner == N - 1) }
ltl agreement { <> [] (informed == N) }
