/* What SPIN accepts, but reads differently than most people. */
byte x, y;
init {
	if
	:: x = 1 -> y = 2
	:: x == 1 -> y = 2
	:: x = 3; y = 4
	fi
}
ltl f { [] x == 1 }
ltl g { <> x + y > 3 U y == 1 }
ltl h { x == 1 -> run P() }
ltl k { [] (x == 1) -> <> (y == 1) }
