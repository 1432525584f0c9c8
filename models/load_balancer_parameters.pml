/*
 * The load balancer of load_balancer.pml, with the queues of the servers as
 * parameters of the balancers: each keeps them in variables of its own, and
 * chooses one whose queue is no longer than the others. To exchange two servers
 * is to exchange these variables, too, in both balancers: 3! * 3! * 2 * 3! = 432.
 *
 * expect: states 43166 transitions 127838 assertions 0 invalid_end_states 0
 * candidate: 432
 * group: 432
 */

#ifndef QUEUE
#define QUEUE 1		/* requests that fit into the queue of a server */
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

proctype balancer(chan in, out1, out2, out3)
{
	pid from;

	do
	:: in?from;
		atomic {
			if
			:: len(out1) <= len(out2) && len(out1) <= len(out3) -> out1!from
			:: len(out2) <= len(out1) && len(out2) <= len(out3) -> out2!from
			:: len(out3) <= len(out1) && len(out3) <= len(out2) -> out3!from
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
		run client(desk1); run client(desk1); run client(desk1);
		run client(desk2); run client(desk2); run client(desk2);
		run balancer(desk1, queue1, queue2, queue3); run balancer(desk2, queue1, queue2, queue3);
		run server(queue1); run server(queue2); run server(queue3)
	}
}
