/*
 * A directory protocol for cache coherence, close to the one that S. German
 * proposed as a challenge for parameterised verification. N caches hold
 * copies of one memory line, many shared ones or a single exclusive one. A
 * cache asks the directory for a copy; the directory serves one request at a
 * time, has other copies invalidated where they are in the way, waits for the
 * acknowledgements, and grants. All messages travel in one-place mailboxes.
 * The directory's rules for cache i are in the process port(i), so that
 * no rule has to visit the caches in order: N! symmetries. With -D HASTY
 * the directory grants exclusive copies without waiting for acknowledgements.
 *
 * expect: states 2047 transitions 6425 assertions 0 invalid_end_states 0
 * expect -DN=2: states 173 transitions 344 assertions 0 invalid_end_states 0
 * expect -DN=2 -DHASTY: states 1169 transitions 2896 assertions 320 invalid_end_states 6
 * group: 6
 * property coherent: holds
 * property served: holds
 */

#ifndef N
#define N 3		/* caches, 2 to 6 */
#endif

mtype = { invalid, shared, exclusive,			/* state of a copy */
	  want_shared, want_exclusive,			/* cache to directory */
	  grant_shared, grant_exclusive, invalidate,	/* directory to cache */
	  acknowledge };				/* cache to directory */

/* per cache, indexed by pid, 1 to N; an empty mailbox is 0 */
mtype copy[N + 1] = invalid;
mtype asks[N + 1];	/* requests */
mtype told[N + 1];	/* grants and invalidations */
mtype acks[N + 1];	/* acknowledgements */

/* the directory */
mtype command;		/* request that is being served, or 0 */
pid client;		/* whose request it is, or 0 */
bool listed[N + 1];	/* caches that may have a copy */
bool warned[N + 1];	/* listed caches that have been told to invalidate */
byte holders;		/* how many are listed */
bool owned;		/* the one that is listed has an exclusive copy */

/* for the claim */
byte shared_copies, exclusive_copies;

#define coherence	(exclusive_copies == 0 || (exclusive_copies == 1 && shared_copies == 0))

inline drop_copy()
{
	if
	:: copy[_pid] == shared -> shared_copies--
	:: copy[_pid] == exclusive -> exclusive_copies--
	:: copy[_pid] == invalid -> skip
	fi;
	copy[_pid] = invalid
}

proctype cache()
{
	bool waiting;		/* has a request under way */

	do
	:: atomic {
			!waiting && copy[_pid] == invalid ->
			waiting = true;
			asks[_pid] = want_shared
		}
	:: atomic {
			!waiting && copy[_pid] != exclusive ->
			waiting = true;
			asks[_pid] = want_exclusive
		}
	:: atomic {
			told[_pid] == invalidate && acks[_pid] == 0 ->
			told[_pid] = 0;
			drop_copy();
			acks[_pid] = acknowledge
		}
	:: atomic {
			told[_pid] == grant_shared ->
			told[_pid] = 0;
			drop_copy();
			copy[_pid] = shared;
			shared_copies++;
			assert(coherence);
			waiting = false
		}
	:: atomic {
			told[_pid] == grant_exclusive ->
			told[_pid] = 0;
			drop_copy();
			copy[_pid] = exclusive;
			exclusive_copies++;
			assert(coherence);
			waiting = false
		}
	od
}

#ifdef HASTY
#define nobody_in_the_way	true
#else
#define nobody_in_the_way	(holders == 0)
#endif

inline list()
{
	if
	:: listed[i] -> skip
	:: else -> listed[i] = true; holders++
	fi
}

proctype port(pid i)
{
	do
	:: atomic {
			command == 0 && asks[i] != 0 ->
			command = asks[i];
			client = i;
			asks[i] = 0
		}
	:: atomic {
			(command == want_exclusive || (command == want_shared && owned)) &&
			listed[i] && !warned[i] && told[i] == 0 ->
			warned[i] = true;
			told[i] = invalidate
		}
	:: atomic {
			acks[i] == acknowledge ->
			acks[i] = 0;
			warned[i] = false;
			listed[i] = false;
			holders--;
			owned = false
		}
	:: atomic {
			command == want_shared && client == i && !owned && told[i] == 0 ->
			list();
			told[i] = grant_shared;
			command = 0;
			client = 0
		}
	:: atomic {
			command == want_exclusive && client == i && nobody_in_the_way && told[i] == 0 ->
			list();
			owned = true;
			told[i] = grant_exclusive;
			command = 0;
			client = 0
		}
	od
}

init {
	atomic {
		run cache();
		run cache();
#if N > 2
		run cache();
#endif
#if N > 3
		run cache();
#endif
#if N > 4
		run cache();
#endif
#if N > 5
		run cache();
#endif
		run port(1);
		run port(2);
#if N > 2
		run port(3);
#endif
#if N > 3
		run port(4);
#endif
#if N > 4
		run port(5);
#endif
#if N > 5
		run port(6);
#endif
	}
}

ltl coherent { [] coherence }
ltl served { [] ((command != 0) -> <> (command == 0)) }
