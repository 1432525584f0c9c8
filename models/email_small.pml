/*
 * The email system of email.pml with three clients, small enough to be
 * explored in full: reading a message is one step, a client starts to write
 * only if the network has room for the message, variables are cleared as soon
 * as they are no longer needed, and the network holds NET messages. Client 3
 * is blocked, so of the 3! symmetries of the diagram only the swap of clients
 * 1 and 2 remains.
 *
 * expect: states 6491 transitions 22376 assertions 0 invalid_end_states 0
 * expect -DNET=2: states 59060 transitions 210620 assertions 0 invalid_end_states 0
 * candidate: 6
 * group: 2
 * property never: holds
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
	pid blocked_client = 3;
	chan out;

	do
	:: atomic {
			in?source,dest;
			if
			:: source == blocked_client -> skip
			:: else ->
				if
				:: dest == 1 -> out = box_1
				:: dest == 2 -> out = box_2
				:: dest == 3 -> out = box_3
				fi;
				out!source,dest
			fi;
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

never {		/* some client has read a message of client 3 */
watch:
	if
	:: (received_from == 3) -> goto accept_seen
	:: true -> goto watch
	fi;
accept_seen:
	skip
}
