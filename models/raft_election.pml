/*
 * The election of a leader in Raft (Ongaro and Ousterhout, 2014), without the
 * log. Any of N servers that is not the leader may at any time begin a new
 * term, up to MAXTERM, as a candidate that votes for itself. A candidate asks
 * the others for their votes, one at a time; question and answer are one
 * step, and a question that is lost is one that is never asked. A server
 * votes once per term, for the first who asks, and gives way to a higher
 * term. A candidate with a majority is the leader of its term; the assertion
 * says that no term ever has two. Servers are interchangeable (a voter stores
 * the pid for which it voted, 0 for nobody): N! symmetries.
 *
 * expect: states 1764 transitions 6686 assertions 0 invalid_end_states 0
 * expect -DN=2: states 78 transitions 152 assertions 0 invalid_end_states 0
 * expect -DN=4: states 22532 transitions 151594 assertions 0 invalid_end_states 0
 * group: 6
 * property elected: violated
 */

#ifndef N
#define N 3		/* servers, 2 to 5 */
#endif
#ifndef MAXTERM
#define MAXTERM 3
#endif

mtype = { follower, candidate, leader };

byte term[N + 1];	/* indexed by pid: 1 to N */
pid voted[N + 1];	/* for whom in this term */
byte votes[N + 1];	/* votes that a candidate has got in this term */
mtype role[N + 1] = follower;
byte leaders[MAXTERM + 1];	/* how many there were in each term */
bool led;		/* there has been a leader */

/* ask server k, if it is behind or has not yet answered in this term */
#define may_ask(k) \
	(k != _pid && role[_pid] == candidate && (term[k] != term[_pid] || voted[k] == 0))

inline ask(k)
{
	if
	:: term[k] > term[_pid] ->		/* refused: give way */
		term[_pid] = term[k];
		voted[_pid] = 0;
		votes[_pid] = 0;
		role[_pid] = follower
	:: else ->				/* granted */
		term[k] = term[_pid];
		role[k] = follower;
		votes[k] = 0;
		voted[k] = _pid;
		votes[_pid]++
	fi
}

proctype server()
{
end:	do
	:: atomic {
			role[_pid] != leader && term[_pid] < MAXTERM ->
			term[_pid]++;
			voted[_pid] = _pid;
			votes[_pid] = 1;
			role[_pid] = candidate
		}
	:: atomic { may_ask(1) -> ask(1) }
	:: atomic { may_ask(2) -> ask(2) }
#if N > 2
	:: atomic { may_ask(3) -> ask(3) }
#endif
#if N > 3
	:: atomic { may_ask(4) -> ask(4) }
#endif
#if N > 4
	:: atomic { may_ask(5) -> ask(5) }
#endif
	:: atomic {
			role[_pid] == candidate && 2 * votes[_pid] > N ->
			role[_pid] = leader;
			led = true;
			leaders[term[_pid]]++;
			assert(leaders[term[_pid]] == 1)
		}
	od
}

init {
	atomic {
		run server();
		run server();
#if N > 2
		run server();
#endif
#if N > 3
		run server();
#endif
#if N > 4
		run server();
#endif
	}
}

ltl elected { <> led }
