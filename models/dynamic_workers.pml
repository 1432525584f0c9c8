/*
 * Processes that come and go: a master hands out JOBS jobs, starts a worker
 * for each as long as fewer than CREW are at work, and waits for the rest at
 * the end. A worker reports back and terminates. Pids are reused: a process
 * number is free again once its process, and every younger one, has died, so
 * the same job may be done under different pids in different runs. SPIN
 * lets only the youngest process die, which makes pids asymmetric: the exact
 * state graph has no symmetry among workers.
 *
 * expect: states 18715 transitions 52987 assertions 0 invalid_end_states 0
 * expect -DJOBS=3 -DCREW=2: states 497 transitions 1080 assertions 0 invalid_end_states 0
 * expect -DJOBS=6 -DCREW=3: states 43043 transitions 122266 assertions 0 invalid_end_states 0
 * property all_done: holds
 * property never_crowded: holds
 */

#ifndef JOBS
#define JOBS 5
#endif
#ifndef CREW
#define CREW 3
#endif

chan reports = [CREW] of { byte };	/* numbers of jobs that are done */
byte done;		/* jobs that have been reported */
byte at_work;		/* workers that have not reported yet */

proctype worker(byte job)
{
	at_work++;
	reports!job;
	at_work--
}

init {
	byte next, job;

	do
	:: next < JOBS && _nr_pr <= CREW ->
		run worker(next);
		next++
	:: atomic { reports?job -> assert(job < next); done++; job = 0 }
	:: done == JOBS -> break
	od;
	_nr_pr == 1;			/* everybody else has gone */
	assert(at_work == 0 && empty(reports))
}

ltl all_done { <> (done == JOBS) }
ltl never_crowded { [] (at_work <= CREW) }
