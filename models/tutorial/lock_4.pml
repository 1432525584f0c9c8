/* A lock server with a favourite: requests of client 1 go first. */
#ifndef N
#define N 2
#endif

mtype = { ask, release };
chan requests = [N] of { mtype, pid };
chan grant[N + 1] = [0] of { bit };	/* the server is process 0, the clients come after it */
byte inside;	/* clients that have the lock */

active proctype server()
{
	pid who;

	do
	:: requests??ask,1 ->
		grant[1]!1;
		requests??release,1
	:: !requests??[ask,1] && requests??[ask,_] -> requests??ask,who;
		grant[who]!1;
		requests??release,eval(who)
	od
}

active [N] proctype client()
{
	do
	:: requests!ask,_pid;
		grant[_pid]?1;
		inside++;
		assert(inside == 1);
		inside--;
		requests!release,_pid
	od
}

ltl used { [] <> (inside == 1) }
