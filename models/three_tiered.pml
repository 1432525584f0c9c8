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
 * candidate: 144
 * group: 144
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

chan front1 = [0] of { pid };		/* requests of clients to a server */
chan front2 = [0] of { pid };
chan front3 = [0] of { pid };
chan back1 = [0] of { pid };		/* data from the database to a server */
chan back2 = [0] of { pid };
chan back3 = [0] of { pid };
chan queries = [0] of { chan };		/* queries of servers to the database */

proctype client(chan server)
{
	do
	:: server!_pid; server?eval(_pid)
	od
}
