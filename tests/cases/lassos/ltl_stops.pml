/* error: ltl arrives */
/* A run that ends stays where it is for ever. */
byte x;

ltl arrives { <> (x == 3) }

active proctype P() {
	x = 1;
	if
	:: x = 2
	:: x = 3
	fi
}
