/*
 * Two teams of M members. A member works K times and then asks its leader for
 * the hall, which leaders take one after the other in the name of a member.
 * Symmetries permute the members of a team, and exchange the teams with their
 * leaders: M! * M! * 2, a wreath product.
 *
 * expect: states 9154 transitions 41474 assertions 0 invalid_end_states 0
 * expect-large -DK=1: states 70626 transitions 354002 assertions 0 invalid_end_states 0
 * candidate: 8
 * group: 8
 */

#ifndef M
#define M 2		/* members of each team, 2 to 4 */
#endif
#ifndef K
#define K 0		/* how often a member works before it asks */
#endif
#define NOBODY 99

byte work[2 * M + 3];
pid hall = NOBODY;

chan asks1 = [0] of { pid };	/* from members to their leader */
chan asks2 = [0] of { pid };

proctype member(chan asks)
{
	do
	:: work[_pid] != K -> work[_pid]++
	:: work[_pid] == K -> asks!_pid; work[_pid] = 0
	od
}

proctype leader(chan asks)
{
	pid who = NOBODY;

	do
	:: asks?who; hall == NOBODY -> hall = who; hall = NOBODY; who = NOBODY
	od
}

init {
	atomic {
		run member(asks1);
		run member(asks1);
#if M > 2
		run member(asks1);
#endif
#if M > 3
		run member(asks1);
#endif
		run member(asks2);
		run member(asks2);
#if M > 2
		run member(asks2);
#endif
#if M > 3
		run member(asks2);
#endif
		run leader(asks1);
		run leader(asks2)
	}
}
