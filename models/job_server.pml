/*
 * A server that starts a worker for each job. Several workers may be at work
 * at a time; a worker takes a licence, computes, and ends. Nothing reads the
 * number of a process: which worker got which number cannot be told, so that
 * one state stands for all orders of the workers that exist. The last step
 * waits until the server is alone.
 *
 * expect: states 8072 transitions 25665 assertions 0 invalid_end_states 0
 * property served: holds
 * property licensed: holds
 */

#ifndef JOBS
#define JOBS 3
#endif
#ifndef LICENCES
#define LICENCES 2
#endif

byte free = LICENCES, finished;
chan jobs = [1] of { bit };

proctype worker(bit urgent)
{
	atomic { free > 0 -> free-- };
	if
	:: urgent
	:: !urgent -> skip	/* some work more */
	fi;
	atomic { free++; finished++ }
}

active proctype server()
{
	byte k;
	bit urgent;

	do
	:: k < JOBS -> jobs?urgent; run worker(urgent); k++
	:: else -> break
	od;
	_nr_pr == 1;
	assert(free == LICENCES && finished == JOBS)
}

active proctype client()
{
	byte k;

	do
	:: k < JOBS -> k++;
		if
		:: jobs!0
		:: jobs!1
		fi
	:: else -> break
	od
}

ltl served { [] (free <= LICENCES) }
ltl licensed { <> (finished > 0) || [] (finished == 0) }
