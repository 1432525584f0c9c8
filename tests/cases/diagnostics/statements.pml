byte x;
chan c = [1] of { byte };
init {
	break;
	;
	if fi;
	do od;
	if :: fi;
	do :: x = 1 :: od;
	atomic { };
	{ };
	x = 1;;;; }
active proctype P() { }
active proctype Q() {
	for (x : 1 .. 3) x = 2;
	for (x in 3) { skip };
	select (x : 3 .. 1);
	select (x, 1, 2);
	printf(x);
	printf "hello";
	printm(x + 1);
	goto;
	run ;
	run P;
	x = (1 -> 2);
	x = (x == 1 -> 2 : );
	d_step x = 1;
	xr 1;
	{ xs c };
	x = 2
}
trace { do :: c!1 :: x = 1 :: { c?1 } od }
notrace { c!1 }
never { skip }
never n { skip }
never n { skip }
