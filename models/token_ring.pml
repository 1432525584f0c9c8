/*
 * A token ring of ten nodes, after the token ring network in Table 1 of
 * Donaldson and Miller (FM 2005), where the mutual exclusion algorithm comes
 * from Tanenbaum and van Steen's "Distributed Systems". Node i receives from
 * its predecessor and sends to its successor. The token is not given to a
 * fixed node: whoever sets the shared bit first makes it. A node that wants
 * to enter the critical section waits for the token, keeps it while it is
 * inside, and then passes it on. The ring is directed, so that the symmetries
 * are the ten rotations.
 *
 * expect: states 21505 transitions 133122 assertions 0 invalid_end_states 0
 * candidate: 10
 * group: 10
 * property exclusion: holds
 */

mtype = { token };

chan link1  = [1] of { mtype };
chan link2  = [1] of { mtype };
chan link3  = [1] of { mtype };
chan link4  = [1] of { mtype };
chan link5  = [1] of { mtype };
chan link6  = [1] of { mtype };
chan link7  = [1] of { mtype };
chan link8  = [1] of { mtype };
chan link9  = [1] of { mtype };
chan link10 = [1] of { mtype };

bool made;		/* the token exists */
byte inside;		/* nodes in the critical section */

proctype node(chan in, out)
{
	bool wants;

	do
	:: atomic { !made -> made = true; out!token }
	:: atomic { !wants -> wants = true }
	:: atomic { !wants && in?[token] -> in?token; out!token }
	:: atomic { wants && in?[token] -> in?token; inside++ };
		assert(inside == 1);
		atomic { inside--; wants = false; out!token }
	od
}

init {
	atomic {
		run node(link1, link2);
		run node(link2, link3);
		run node(link3, link4);
		run node(link4, link5);
		run node(link5, link6);
		run node(link6, link7);
		run node(link7, link8);
		run node(link8, link9);
		run node(link9, link10);
		run node(link10, link1)
	}
}

ltl exclusion { [] (inside <= 1) }
