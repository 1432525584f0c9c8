/*
 * Resource allocation with two levels of priority, after the fourth model in
 * Table 1 of Donaldson and Miller (FM 2005); their source is Sistla and
 * Godefroid's work on symmetry and reduced symmetry. Eight clients, each with
 * a link of its own to the allocator, share one resource. Clients 1 to 4 go
 * first: the allocator grants a request of clients 5 to 8 only while no
 * request of the first four is pending. In the diagram of processes and
 * channels all eight clients look the same, 8! = 40,320 symmetries; the
 * allocator's text leaves the 4! * 4! = 576 that keep the levels.
 *
 * expect: states 6401 transitions 29218 assertions 0 invalid_end_states 0
 * candidate: 40320
 * group: 576
 * property exclusion: holds
 */

mtype = { request, grant, release };

chan link1 = [1] of { mtype };
chan link2 = [1] of { mtype };
chan link3 = [1] of { mtype };
chan link4 = [1] of { mtype };
chan link5 = [1] of { mtype };
chan link6 = [1] of { mtype };
chan link7 = [1] of { mtype };
chan link8 = [1] of { mtype };

byte using;		/* clients that hold the resource */

#define no_urgent_request \
	(empty(link1) && empty(link2) && empty(link3) && empty(link4))

proctype client(chan link)
{
	do
	:: link!request;
		link?grant;
		using++;
		assert(using == 1);
		atomic { using--; link!release }
	od
}

proctype allocator()
{
	do
	:: link1?request; link1!grant; link1?release
	:: link2?request; link2!grant; link2?release
	:: link3?request; link3!grant; link3?release
	:: link4?request; link4!grant; link4?release
	:: atomic { no_urgent_request && link5?[request] -> link5?request }; link5!grant; link5?release
	:: atomic { no_urgent_request && link6?[request] -> link6?request }; link6!grant; link6?release
	:: atomic { no_urgent_request && link7?[request] -> link7?request }; link7!grant; link7?release
	:: atomic { no_urgent_request && link8?[request] -> link8?request }; link8!grant; link8?release
	od
}

init {
	atomic {
		run client(link1);
		run client(link2);
		run client(link3);
		run client(link4);
		run client(link5);
		run client(link6);
		run client(link7);
		run client(link8);
		run allocator()
	}
}

ltl exclusion { [] (using <= 1) }
