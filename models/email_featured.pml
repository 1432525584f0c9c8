/*
 * The unfeatured email network that Miller, Calder and Donaldson measure in
 * Table 1 of "A template-based approach for the generation of abstractable
 * and reducible models of featured networks" (Computer Networks 51, 2007).
 * N clients sign on first; after that a client reads its mail if its box is
 * not empty, and otherwise writes to any client, itself included, if the
 * network has room. The network holds two messages. The mailer fetches a
 * message and delivers it once the receiver's box is empty. The published
 * numbers of states, 23,256 and 852,641 for 3 and 4 clients, come out exactly
 * (5 clients: 30,366,608); all N! permutations of the clients are symmetries,
 * with 3,902 and 36,255 orbits.
 *
 * expect: states 23256 transitions 71006 assertions 0 invalid_end_states 0
 * expect -DN=2: states 565 transitions 1294 assertions 0 invalid_end_states 0
 * expect-large -DN=4: states 852641 transitions 3305634 assertions 0 invalid_end_states 0
 * candidate: 6
 * group: 6
 * candidate -DN=2: 2
 * group -DN=2: 2
 * candidate -DN=4: 24
 * group -DN=4: 24
 */

#ifndef N
#define N 3		/* clients, 2 to 6 */
#endif

chan link1 = [1] of { pid, pid };
chan link2 = [1] of { pid, pid };
#if N > 2
chan link3 = [1] of { pid, pid };
#endif
#if N > 3
chan link4 = [1] of { pid, pid };
#endif
#if N > 4
chan link5 = [1] of { pid, pid };
#endif
#if N > 5
chan link6 = [1] of { pid, pid };
#endif
chan network = [2] of { pid, pid };

byte online;		/* clients that have signed on */

#define ready	(online == N)

proctype client(chan in)
{
	pid from, to;

	online++;
	do
	:: atomic {
			ready && nempty(in) ->
			in?from,to;
			assert(to == _pid);
			from = 0;
			to = 0
		}
	:: atomic {
			ready && empty(in) && nfull(network) ->
			if
			:: to = 1
			:: to = 2
#if N > 2
			:: to = 3
#endif
#if N > 3
			:: to = 4
#endif
#if N > 4
			:: to = 5
#endif
#if N > 5
			:: to = 6
#endif
			fi;
			network!_pid,to;
			to = 0
		}
	od
}

proctype mailer(chan in)
{
	pid from, to;

	do
	:: in?from,to;
		atomic {
			if
			:: to == 1 && empty(link1) -> link1!from,to
			:: to == 2 && empty(link2) -> link2!from,to
#if N > 2
			:: to == 3 && empty(link3) -> link3!from,to
#endif
#if N > 3
			:: to == 4 && empty(link4) -> link4!from,to
#endif
#if N > 4
			:: to == 5 && empty(link5) -> link5!from,to
#endif
#if N > 5
			:: to == 6 && empty(link6) -> link6!from,to
#endif
			fi;
			from = 0;
			to = 0
		}
	od
}

init {
	atomic {
		run client(link1);
		run client(link2);
#if N > 2
		run client(link3);
#endif
#if N > 3
		run client(link4);
#endif
#if N > 4
		run client(link5);
#endif
#if N > 5
		run client(link6);
#endif
		run mailer(network)
	}
}
