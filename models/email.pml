/*
 * An email system of five clients and one mailer, after the running example
 * (Fig. 1) of Donaldson and Miller, "Automatic Symmetry Detection for Model
 * Checking Using Computational Group Theory" (FM 2005). A client takes mail
 * from its own box, or writes a message (sender, receiver) to any client,
 * itself included, and puts it on the network. The mailer forwards what it
 * finds on the network to the receiver's box, except that it silently drops
 * everything that client 3 writes. The property says that nobody ever
 * receives anything from client 3. The diagram of processes and channels has
 * all 5! symmetries; the two places that name client 3 leave the 4! that fix
 * it. The state space is far too big to be counted here: email_small.pml is
 * the same system with three clients, and has the figures.
 *
 * candidate: 120
 * group: 24
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
	pid blocked_client = 3;
	chan out;

	do
	:: in?source,dest;
		if
		:: source == blocked_client -> skip
		:: else ->
			if
			:: dest == 1 -> out = box_1
			:: dest == 2 -> out = box_2
			:: dest == 3 -> out = box_3
			:: dest == 4 -> out = box_4
			:: dest == 5 -> out = box_5
			fi;
			out!source,dest
		fi
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

never {		/* some client has read a message of client 3 */
watch:
	if
	:: (received_from == 3) -> goto accept_seen
	:: true -> goto watch
	fi;
accept_seen:
	skip
}
