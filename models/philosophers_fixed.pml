/*
 * Dining philosophers without deadlock: as in philosophers.pml, but the last
 * philosopher is left-handed and takes the forks in the opposite order, so
 * that no ring of waiting philosophers can close. The one left-handed seat
 * breaks every rotation: the only symmetry is the identity. Somebody eats
 * again and again, but a given philosopher may starve.
 *
 * expect: states 2040 transitions 7603 assertions 0 invalid_end_states 0
 * expect -DN=3: states 44 transitions 82 assertions 0 invalid_end_states 0
 * expect -DN=8: states 25888 transitions 128665 assertions 0 invalid_end_states 0
 * group: 1
 * property someone_eats: holds
 * property first_eats: violated
 */

#ifndef N
#define N 6
#endif

#define right	_pid
#define left	((_pid + 1) % N)

bool taken[N];		/* taken[i]: the fork on the right of philosopher i */
byte meals;		/* philosophers who are eating now */

inline take(fork)
{
	atomic { !taken[fork] -> taken[fork] = true }
}

inline eat_and_release()
{
	meals++;
	meals--;
	taken[right] = false;
	taken[left] = false
}

active [N - 1] proctype philosopher()
{
	do
	:: take(right);
		take(left);
eating:		eat_and_release()
	od
}

active proctype lefthanded()
{
	do
	:: take(left);
		take(right);
		eat_and_release()
	od
}

ltl someone_eats { [] <> (meals > 0) }
ltl first_eats { <> philosopher[0]@eating }
