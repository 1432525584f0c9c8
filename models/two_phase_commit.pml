/*
 * Two-phase commit (Gray, 1978): a coordinator and N participants agree on
 * the fate of a transaction, again and again. When all are ready, the
 * coordinator opens a vote. Every participant votes yes or no; one that has
 * voted no aborts at once, without waiting for the others. When all votes are
 * in, the coordinator publishes the decision, to commit only if all votes
 * were yes, and those that voted yes follow it. Votes carry no names, and the
 * coordinator only counts them: N! symmetries.
 *
 * expect: states 1055 transitions 2740 assertions 0 invalid_end_states 0
 * expect -DN=2: states 165 transitions 315 assertions 0 invalid_end_states 0
 * expect -DN=4: states 7493 transitions 24709 assertions 0 invalid_end_states 0
 * group: 6
 * property atomicity: holds
 * property decides: holds
 * property commits: violated
 */

#ifndef N
#define N 3
#endif

mtype = { idle, voting, commit, abort, yes, no };

chan votes = [N] of { mtype };
mtype phase = idle;	/* what the coordinator has published */
byte ready;		/* participants that wait for the vote */
byte committed, aborted;	/* participants that have done so this time */

active proctype coordinator()
{
	byte in_favour, against;

	do
	:: atomic { ready == N -> ready = 0; phase = voting };
		do
		:: votes?yes -> in_favour++
		:: votes?no -> against++
		:: in_favour + against == N -> break
		od;
		if
		:: against == 0 -> phase = commit
		:: else -> phase = abort
		fi;
		in_favour = 0;
		against = 0;
		atomic {
			committed + aborted == N ->
			committed = 0;
			aborted = 0;
			phase = idle
		}
	od
}

active [N] proctype participant()
{
	do
	:: atomic { phase == idle -> ready++ };
		phase == voting;
		if
		:: votes!yes;
			if
			:: atomic { phase == commit -> committed++ }
			:: atomic { phase == abort -> aborted++ }
			fi
		:: votes!no;
			aborted++
		fi
	od
}

ltl atomicity { [] !(committed > 0 && aborted > 0) }
ltl decides { [] <> (phase == commit || phase == abort) }
ltl commits { [] <> (phase == commit) }
