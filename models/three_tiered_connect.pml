/*
 * A three-tiered architecture in which control flow is all there is, as its
 * states are counted in Table II of Zhang, Sun, Pang, Liu, Dong and Chen
 * (ASE 2013). Each of three servers connects to the database once; from then
 * on each of its clients may send a request, which is passed on as a query and
 * then answered, independently of the others. The database has no state of
 * its own. A server with n clients so has 1 + 3^n states, and the whole
 * has their product, with one more state before `init` has run. For 3-3-2
 * clients these are 28 * 28 * 10 + 1.
 *
 * Clients of a server can be exchanged, and so can servers with equally many
 * clients: there are 462 orbits (3-3-3: 286, 4-4-3: 1,496), and the one of the
 * state before `init` has run.
 *
 * expect: states 7841 transitions 60818 assertions 0 invalid_end_states 0
 * expect-large -DC=3: states 21953 transitions 192866 assertions 0 invalid_end_states 0
 * expect-large -DA=4 -DB=4 -DC=3: states 188273 transitions 2043770 assertions 0 invalid_end_states 0
 * group: 144
 * group -DC=3: 1296
 * group -DA=4 -DB=4 -DC=3: 6912
 */

#ifndef A
#define A 3		/* clients of the first server */
#endif
#ifndef B
#define B 3		/* clients of the second server */
#endif
#ifndef C
#define C 2		/* clients of the third server */
#endif

bool connected[4];	/* by server, from 1 on */

proctype server()
{
	connected[_pid] = true;
end:	false
}

proctype client(pid mine)
{
	do
	:: connected[mine];	/* request */
	   true;		/* query */
	   true			/* reply */
	od
}

init {
	byte i;

	atomic {
		run server(); run server(); run server();
		for (i : 1 .. A) { run client(1) }
		for (i : 1 .. B) { run client(2) }
		for (i : 1 .. C) { run client(3) }
		i = 0
	}
}
