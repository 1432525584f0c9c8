/*
 * The alternating bit protocol (Bartlett, Scantlebury and Wilkinson, 1969).
 * A sender transmits the numbers 0, 1, ..., M-1, 0, ... over a line that may
 * lose messages, and repeats each one until its control bit is acknowledged
 * on a second line, which may lose messages as well. The receiver checks
 * that nothing is lost, repeated or out of order. It need not make progress:
 * the lines may lose everything.
 *
 * expect: states 90 transitions 205 assertions 0 invalid_end_states 0
 * expect -DM=4 -DCAPACITY=2: states 216 transitions 709 assertions 0 invalid_end_states 0
 * property delivers: violated
 * property delivers_unless_lossy: holds
 */

#ifndef M
#define M 3		/* different data */
#endif
#ifndef CAPACITY
#define CAPACITY 1	/* messages on a line */
#endif

chan forth = [CAPACITY] of { byte, bit };	/* datum, control bit */
chan back = [CAPACITY] of { bit };		/* control bit acknowledged */

byte received;		/* datum that was accepted last */
bool lost, accepted;	/* what the last event was */

inline event(l, a)
{
	lost = l; accepted = a
}

active proctype sender()
{
	byte datum = 1;
	bit b, ack;

	do
	:: atomic { nfull(forth) -> forth!datum,b; event(false, false) }
	:: atomic {
			back?ack -> event(false, false);
			if
			:: ack == b -> b = 1 - b; datum = (datum + 1) % M
			:: else -> skip
			fi;
			ack = 0
		}
	od
}

active proctype receiver()
{
	byte datum;
	bit b, expected;

	do
	:: atomic {
			nempty(forth) && nfull(back) ->
			forth?datum,b;
			back!b;
			if
			:: b == expected ->
				assert(datum == (received + 1) % M);
				received = datum;
				expected = 1 - expected;
				event(false, true)
			:: else -> event(false, false)
			fi;
			datum = 0;
			b = 0
		}
	od
}

active proctype noise()
{
	byte datum;
	bit b;

	do
	:: atomic { forth?datum,b; datum = 0; b = 0; event(true, false) }
	:: atomic { back?b; b = 0; event(true, false) }
	od
}

ltl delivers { [] <> accepted }
ltl delivers_unless_lossy { (<> [] !lost) -> ([] <> accepted) }
