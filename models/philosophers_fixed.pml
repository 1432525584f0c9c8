/*
 * Dining philosophers without deadlock: as in philosophers.pml, but the last
 * philosopher is left-handed and takes the forks in the opposite order, so
 * that no ring of waiting philosophers can close. The one left-handed seat
 * breaks every rotation: the only symmetry is the identity. Nobody need ever
 * eat, as far as a single philosopher is concerned, but somebody always does.
 *
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
	:: take(right); take(left); eat_and_release()
	od
}

active proctype lefthanded()
{
	do
	:: take(left); take(right); eat_and_release()
	od
}

ltl someone_eats { [] <> (meals > 0) }
ltl first_eats { <> (taken[0] && taken[1]) }
