/*
 * Readers and writers (Courtois, Heymans and Parnas, 1971): R readers may
 * look at a document together, W writers only one at a time and without
 * readers. The first reader to come locks the document on behalf of all, the
 * last one to leave unlocks it, so that a writer may wait forever. Readers
 * are interchangeable, and so are writers: R! * W! symmetries.
 *
 * expect: states 829 transitions 1922 assertions 0 invalid_end_states 0
 * expect -DR=2 -DW=3: states 213 transitions 410 assertions 0 invalid_end_states 0
 * expect -DR=4 -DW=2: states 4761 transitions 13999 assertions 0 invalid_end_states 0
 * group: 12
 * property exclusion: holds
 * property written: violated
 */

#ifndef R
#define R 3
#endif
#ifndef W
#define W 2
#endif

bool document_lock;
bool count_lock;	/* protects the counter of readers */
byte readers;		/* readers that have registered */
byte reading;		/* readers that are reading */
byte writing;		/* writers that are writing */

inline lock(it)
{
	atomic { !it -> it = true }
}

active [R] proctype reader()
{
	do
	:: lock(count_lock);
		readers++;
		if
		:: readers == 1 -> lock(document_lock)
		:: else -> skip
		fi;
		count_lock = false;

		reading++;
		assert(writing == 0);
		reading--;

		lock(count_lock);
		readers--;
		if
		:: readers == 0 -> document_lock = false
		:: else -> skip
		fi;
		count_lock = false
	od
}

active [W] proctype writer()
{
	do
	:: lock(document_lock);
		writing++;
		assert(writing == 1 && reading == 0);
		writing--;
		document_lock = false
	od
}

ltl exclusion { [] (writing == 0 || (writing == 1 && reading == 0)) }
ltl written { [] <> (writing > 0) }
