/*
 * A client-server system with load balancing, after the second model in
 * Table 1 of Donaldson and Miller (FM 2005). Two load balancers have three
 * clients each and share three servers. A client sends its name to its
 * balancer; the balancer puts the request into the queue of a server whose
 * queue is no longer than the others; the server answers the client directly.
 * Symmetries permute the clients of one balancer, swap the balancers with all
 * of their clients, and permute the servers: 3! * 3! * 2 * 3! = 432.
 *
 * expect: states 44363 transitions 157304 assertions 0 invalid_end_states 0
 * expect -DQUEUE=1: states 43166 transitions 127838 assertions 0 invalid_end_states 0
 * candidate: 432
 * group: 432
 */

#ifndef QUEUE
#define QUEUE 2		/* requests that fit into the queue of a server */
#endif

chan desk1 = [0] of { pid };		/* requests to the balancers */
chan desk2 = [0] of { pid };
chan queue1 = [QUEUE] of { pid };	/* requests to the servers */
chan queue2 = [QUEUE] of { pid };
chan queue3 = [QUEUE] of { pid };
chan answers = [1] of { pid };		/* answers to the clients */

proctype client(chan out)
{
	do
	:: out!_pid; answers?eval(_pid)
	od
}

proctype balancer(chan in)
{
	pid from;

	do
	:: in?from;
		atomic {
			if
			:: len(queue1) <= len(queue2) && len(queue1) <= len(queue3) -> queue1!from
			:: len(queue2) <= len(queue1) && len(queue2) <= len(queue3) -> queue2!from
			:: len(queue3) <= len(queue1) && len(queue3) <= len(queue2) -> queue3!from
			fi;
			from = 0
		}
	od
}

proctype server(chan in)
{
	pid from;

	do
	:: atomic { nempty(in) && empty(answers) -> in?from; answers!from; from = 0 }
	od
}

init {
	atomic {
		run client(desk1);
		run client(desk1);
		run client(desk1);
		run client(desk2);
		run client(desk2);
		run client(desk2);
		run balancer(desk1);
		run balancer(desk2);
		run server(queue1);
		run server(queue2);
		run server(queue3)
	}
}
