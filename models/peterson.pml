/*
 * Peterson's mutual exclusion algorithm for N processes ("Myths about the
 * mutual exclusion problem", 1981), the filter lock: a process climbs N-1
 * rungs; on each rung it writes its name into last[] and waits until another
 * process has arrived there later, or until all others are on lower rungs. The
 * processes have pids 1 to N, and a rung that no process has visited yet names
 * pid 0, which is no competitor. So the initial state is symmetric, and all N!
 * permutations of the processes are symmetries. The guard is one conjunction
 * over all processes, not a loop, because a loop would visit them in order.
 *
 * expect: states 3521 transitions 9152 assertions 0 invalid_end_states 0
 * expect -DN=2: states 139 transitions 264 assertions 0 invalid_end_states 0
 * expect-large -DN=4: states 90721 transitions 288386 assertions 0 invalid_end_states 0
 * group: 6
 * group -DN=2: 2
 * group -DN=4: 24
 * property exclusion: holds
 * property someone_enters: holds
 */

#ifndef N
#define N 3		/* processes, 2 to 8 */
#endif

byte rung[N + 1];	/* where each process is; 0 is outside */
pid last[N];		/* last[r]: who came last to rung r */
byte inside;		/* processes in the critical section */

#define below(k)	(_pid == k || rung[k] < r)

#if N == 2
#define alone	(below(1) && below(2))
#elif N == 3
#define alone	(below(1) && below(2) && below(3))
#elif N == 4
#define alone	(below(1) && below(2) && below(3) && below(4))
#elif N == 5
#define alone	(below(1) && below(2) && below(3) && below(4) && below(5))
#elif N == 6
#define alone	(below(1) && below(2) && below(3) && below(4) && below(5) && below(6))
#elif N == 7
#define alone	(below(1) && below(2) && below(3) && below(4) && below(5) && below(6) && below(7))
#else
#define alone	(below(1) && below(2) && below(3) && below(4) && below(5) && below(6) && below(7) && below(8))
#endif

proctype competitor()
{
	byte r;

	do
	:: r < N - 1 ->
		r++;
		rung[_pid] = r;
		last[r] = _pid;
		last[r] != _pid || alone
	:: else ->
		inside++;
		assert(inside == 1);
		inside--;
		rung[_pid] = 0;
		r = 0
	od
}

init {
	atomic {
		run competitor();
		run competitor();
#if N > 2
		run competitor();
#endif
#if N > 3
		run competitor();
#endif
#if N > 4
		run competitor();
#endif
#if N > 5
		run competitor();
#endif
#if N > 6
		run competitor();
#endif
#if N > 7
		run competitor();
#endif
	}
}

ltl exclusion { [] (inside <= 1) }
ltl someone_enters { [] <> (inside == 1) }
