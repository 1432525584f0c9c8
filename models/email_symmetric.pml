/*
 * The email system of email.pml without the blocked client and without the
 * claim: the mailer forwards everything, so that all 5! permutations of the
 * clients, together with their boxes, are symmetries. The state space is far
 * too big to be counted here: see email_symmetric_small.pml for figures.
 *
 * candidate: 120
 * group: 120
 */

chan box_1 = [1] of { pid, pid };
chan box_2 = [1] of { pid, pid };
chan box_3 = [1] of { pid, pid };
chan box_4 = [1] of { pid, pid };
chan box_5 = [1] of { pid, pid };
chan network = [5] of { pid, pid };

pid received_from;	/* sender of the message that was read last */

proctype mailer(chan in)
{
	pid source, dest;
	chan out;

	do
	:: in?source,dest;
		if
		:: dest == 1 -> out = box_1
		:: dest == 2 -> out = box_2
		:: dest == 3 -> out = box_3
		:: dest == 4 -> out = box_4
		:: dest == 5 -> out = box_5
		fi;
		out!source,dest
	od
}

proctype client(chan in)
{
	pid source, dest;

	do
	:: in?source,dest;
		assert(dest == _pid);
		received_from = source
	:: atomic {
			source = _pid;
			if
			:: dest = 1
			:: dest = 2
			:: dest = 3
			:: dest = 4
			:: dest = 5
			fi;
			network!source,dest
		}
	od
}

init {
	atomic {
		run client(box_1);
		run client(box_2);
		run client(box_3);
		run client(box_4);
		run client(box_5);
		run mailer(network)
	}
}
