/*
 * Control flow in a three-tiered architecture, after the third model in
 * Table 1 of Donaldson and Miller (FM 2005), who took the example from
 * Tanenbaum and van Steen's "Distributed Systems". Clients (the first tier)
 * send requests to their application server (the second tier) and wait for
 * the reply. To serve a request, the server queries the one database (the
 * third tier). Three servers have A, B and C clients. Symmetries permute the
 * clients of a server, and swap servers that have equally many clients: for
 * 3-3-2 there are 3! * 3! * 2! * 2 = 144.
 *
 * expect: states 3421 transitions 11880 assertions 0 invalid_end_states 0
 * expect -DC=3: states 4901 transitions 17222 assertions 0 invalid_end_states 0
 * expect -DA=4 -DB=4 -DC=3: states 8308 transitions 29562 assertions 0 invalid_end_states 0
 * candidate: 144
 * group: 144
 * candidate -DC=3: 1296
 * group -DC=3: 1296
 * candidate -DA=4 -DB=4 -DC=3: 6912
 * group -DA=4 -DB=4 -DC=3: 6912
 */

#ifndef A
#define A 3		/* clients of the first server, 2 to 4 */
#endif
#ifndef B
#define B 3		/* clients of the second server, 2 to 4 */
#endif
#ifndef C
#define C 2		/* clients of the third server, 2 to 4 */
#endif

chan request1 = [0] of { pid };		/* from clients to their server */
chan request2 = [0] of { pid };
chan request3 = [0] of { pid };
chan reply1 = [0] of { pid };		/* from a server to its clients */
chan reply2 = [0] of { pid };
chan reply3 = [0] of { pid };
chan query = [0] of { pid };		/* from the servers to the database */
chan data = [0] of { pid };		/* from the database to the servers */

proctype client(chan out, in)
{
	do
	:: out!_pid; in?eval(_pid)
	od
}

proctype server(chan in, out)
{
	pid from;

	do
	:: in?from;
		query!_pid;
		data?eval(_pid);
		out!from;
		from = 0
	od
}

proctype database()
{
	pid from;

	do
	:: query?from; data!from; from = 0
	od
}

init {
	atomic {
		run client(request1, reply1);
		run client(request1, reply1);
#if A > 2
		run client(request1, reply1);
#endif
#if A > 3
		run client(request1, reply1);
#endif
		run client(request2, reply2);
		run client(request2, reply2);
#if B > 2
		run client(request2, reply2);
#endif
#if B > 3
		run client(request2, reply2);
#endif
		run client(request3, reply3);
		run client(request3, reply3);
#if C > 2
		run client(request3, reply3);
#endif
#if C > 3
		run client(request3, reply3);
#endif
		run server(request1, reply1);
		run server(request2, reply2);
		run server(request3, reply3);
		run database()
	}
}
