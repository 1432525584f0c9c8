byte x;
init {
	x = 1 fi;
	x = 2;
	:: x = 3;
	x = (1 + 2));
	x = 4] ;
	x = 5
}
}
active proctype P() { skip }
