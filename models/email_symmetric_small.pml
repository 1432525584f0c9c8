/*
 * The symmetric email system with few places in its channels, small enough to
 * be explored in full: email_small.pml without the blocked client and without
 * the claim, for N clients. Every permutation of the clients, together with
 * their boxes, is a symmetry. Seven clients took TopSPIN's prototype 6,573
 * seconds in 2006.
 *
 * expect: states 28811 transitions 102980 assertions 0 invalid_end_states 0
 * expect-large -DNET=2: states 262172 transitions 966278 assertions 0 invalid_end_states 0
 * candidate: 6
 * group: 6
 * candidate -DN=5: 120
 * group -DN=5: 120
 */

#ifndef N
#define N 3		/* clients, 3 to 7 */
#endif
#ifndef NET
#define NET 1		/* messages that fit into the network */
#endif

chan box_1 = [1] of { pid, pid };
chan box_2 = [1] of { pid, pid };
chan box_3 = [1] of { pid, pid };
#if N > 3
chan box_4 = [1] of { pid, pid };
#endif
#if N > 4
chan box_5 = [1] of { pid, pid };
#endif
#if N > 5
chan box_6 = [1] of { pid, pid };
#endif
#if N > 6
chan box_7 = [1] of { pid, pid };
#endif
chan network = [NET] of { pid, pid };

pid received_from;	/* sender of the message that was read last */

proctype mailer(chan in)
{
	pid source, dest;
	chan out;

	do
	:: atomic {
			in?source,dest;
			if
			:: dest == 1 -> out = box_1
			:: dest == 2 -> out = box_2
			:: dest == 3 -> out = box_3
#if N > 3
			:: dest == 4 -> out = box_4
#endif
#if N > 4
			:: dest == 5 -> out = box_5
#endif
#if N > 5
			:: dest == 6 -> out = box_6
#endif
#if N > 6
			:: dest == 7 -> out = box_7
#endif
			fi;
			out!source,dest;
			source = 0;
			dest = 0
		}
	od
}

proctype client(chan in)
{
	pid source, dest;

	do
	:: atomic {
			in?source,dest;
			assert(dest == _pid);
			received_from = source;
			source = 0;
			dest = 0
		}
	:: atomic {
			nfull(network) ->
			source = _pid;
			if
			:: dest = 1
			:: dest = 2
			:: dest = 3
#if N > 3
			:: dest = 4
#endif
#if N > 4
			:: dest = 5
#endif
#if N > 5
			:: dest = 6
#endif
#if N > 6
			:: dest = 7
#endif
			fi;
			network!source,dest;
			source = 0;
			dest = 0
		}
	od
}

init {
	atomic {
		run client(box_1);
		run client(box_2);
		run client(box_3);
#if N > 3
		run client(box_4);
#endif
#if N > 4
		run client(box_5);
#endif
#if N > 5
		run client(box_6);
#endif
#if N > 6
		run client(box_7);
#endif
		run mailer(network)
	}
}
