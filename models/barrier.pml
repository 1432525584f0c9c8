/*
 * A sense-reversing barrier (Hensgen, Finkel and Manber, 1988; in the form of
 * Mellor-Crummey and Scott, 1991). N threads work in phases; none may begin a
 * phase before all have finished the one before. The last thread to arrive
 * resets the counter and flips the shared sense, for which all others wait.
 * Phases are counted modulo 4, so that "at most one phase apart" can be
 * checked. Threads are interchangeable: N! symmetries.
 *
 * expect: states 860 transitions 2161 assertions 0 invalid_end_states 0
 * expect -DN=2: states 140 transitions 241 assertions 0 invalid_end_states 0
 * expect -DN=5: states 31100 transitions 129601 assertions 0 invalid_end_states 0
 * group: 6
 * property together: holds
 * property phases_go_on: holds
 */

#ifndef N
#define N 3
#endif

byte waiting;		/* threads that have arrived in this phase */
bool sense;		/* flips with every phase */
byte phase;		/* the current phase, modulo 4 */

active [N] proctype thread()
{
	bool my_sense;
	byte my_phase;

	do
	:: assert(my_phase == phase);		/* the work of this phase */
		my_phase = (my_phase + 1) % 4;
		my_sense = !my_sense;
		atomic {
			waiting++;
			if
			:: waiting == N -> waiting = 0; phase = (phase + 1) % 4; sense = my_sense
			:: else -> skip
			fi
		};
		sense == my_sense
	od
}

ltl together { [] (waiting < N) }
ltl phases_go_on { ([] <> (phase == 0)) && ([] <> (phase == 2)) }
