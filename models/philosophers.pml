/*
 * Dijkstra's dining philosophers: N philosophers sit in a ring with one fork
 * between neighbours. Each takes the fork on the right, then the one on the
 * left, eats, and puts them back in the same order. All may take their right
 * fork and wait forever: exactly one deadlock. The number of states is
 * L(N) - 1 with L(0) = 2, L(1) = 3, L(n) = 3 L(n-1) + L(n-2); for N = 10 it
 * is 154,450, as Zhang et al. report (ASE 2013). The symmetries are the N
 * rotations of the ring.
 *
 * expect: states 1297 transitions 4969 assertions 0 invalid_end_states 1
 * expect -DN=3: states 35 transitions 67 assertions 0 invalid_end_states 1
 * expect-large -DN=10: states 154450 transitions 986431 assertions 0 invalid_end_states 1
 * group: 6
 * group -DN=3: 3
 * group -DN=10: 10
 */

#ifndef N
#define N 6
#endif

#define right	_pid
#define left	((_pid + 1) % N)

bool taken[N];		/* taken[i]: the fork on the right of philosopher i */

active [N] proctype philosopher()
{
	do
	:: atomic { !taken[right] -> taken[right] = true };
		atomic { !taken[left] -> taken[left] = true };
		skip;	/* eat */
		taken[right] = false;
		taken[left] = false
	od
}
