/*
 * Message passing in a hypercube network of D dimensions, one of the examples
 * of Donaldson and Miller that Zhang et al. study again (ASE 2013). The nodes
 * are the corners of the cube: node p is joined to those nodes q for which
 * p-1 and q-1 differ in one binary digit. Any node may send a packet to any
 * node, itself included, while fewer than K packets are under way; a packet
 * wanders along edges until it meets its destination. Symmetries permute and flip
 * the dimensions: 2^D * D! of them, out of all permutations of the nodes,
 * because every node's text mentions every link.
 *
 * expect: states 962 transitions 1922 assertions 0 invalid_end_states 0
 * expect -DD=2 -DK=2: states 5586 transitions 15346 assertions 0 invalid_end_states 0
 * expect-large -DK=2: states 432834 transitions 1621890 assertions 0 invalid_end_states 0
 * candidate: 40320
 * group: 48
 * candidate -DD=2 -DK=2: 24
 * group -DD=2 -DK=2: 8
 */

#ifndef D
#define D 3		/* dimensions, 2 or 3 */
#endif
#ifndef K
#define K 1		/* packets under way */
#endif

chan link1 = [1] of { pid, pid };	/* source and destination of a packet */
chan link2 = [1] of { pid, pid };
chan link3 = [1] of { pid, pid };
chan link4 = [1] of { pid, pid };
#if D > 2
chan link5 = [1] of { pid, pid };
chan link6 = [1] of { pid, pid };
chan link7 = [1] of { pid, pid };
chan link8 = [1] of { pid, pid };
#endif

byte flying;		/* packets under way */

/* keep a packet that has arrived, hand on any other to some neighbour */
inline forward()
{
	atomic {
		if
		:: dest == _pid -> flying--
		:: else ->
			if
#if D == 2
			:: _pid == 1 -> if :: link2!source,dest :: link3!source,dest fi
			:: _pid == 2 -> if :: link1!source,dest :: link4!source,dest fi
			:: _pid == 3 -> if :: link1!source,dest :: link4!source,dest fi
			:: _pid == 4 -> if :: link2!source,dest :: link3!source,dest fi
#else
			:: _pid == 1 -> if :: link2!source,dest :: link3!source,dest :: link5!source,dest fi
			:: _pid == 2 -> if :: link1!source,dest :: link4!source,dest :: link6!source,dest fi
			:: _pid == 3 -> if :: link1!source,dest :: link4!source,dest :: link7!source,dest fi
			:: _pid == 4 -> if :: link2!source,dest :: link3!source,dest :: link8!source,dest fi
			:: _pid == 5 -> if :: link1!source,dest :: link6!source,dest :: link7!source,dest fi
			:: _pid == 6 -> if :: link2!source,dest :: link5!source,dest :: link8!source,dest fi
			:: _pid == 7 -> if :: link3!source,dest :: link5!source,dest :: link8!source,dest fi
			:: _pid == 8 -> if :: link4!source,dest :: link6!source,dest :: link7!source,dest fi
#endif
			fi
		fi;
		source = 0;
		dest = 0
	}
}

proctype node(chan in)
{
	pid source, dest;

	do
	:: atomic {
			flying < K ->
			flying++;
			source = _pid;
			if
			:: dest = 1
			:: dest = 2
			:: dest = 3
			:: dest = 4
#if D > 2
			:: dest = 5
			:: dest = 6
			:: dest = 7
			:: dest = 8
#endif
			fi
		};
		forward()
	:: in?source,dest;
		forward()
	od
}

init {
	atomic {
		run node(link1);
		run node(link2);
		run node(link3);
		run node(link4);
#if D > 2
		run node(link5);
		run node(link6);
		run node(link7);
		run node(link8)
#endif
	}
}
