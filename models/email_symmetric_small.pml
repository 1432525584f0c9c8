/*
 * The symmetric email system with three clients, small enough to be explored
 * in full: email_small.pml without the blocked client and without the claim.
 * Every permutation of the clients, together with their boxes, is a symmetry.
 *
 * expect: states 28811 transitions 102980 assertions 0 invalid_end_states 0
 * expect-large -DNET=2: states 262172 transitions 966278 assertions 0 invalid_end_states 0
 * candidate: 6
 * group: 6
 */

#ifndef NET
#define NET 1
#endif

chan box_1 = [1] of { pid, pid };
chan box_2 = [1] of { pid, pid };
chan box_3 = [1] of { pid, pid };
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
		run mailer(network)
	}
}
