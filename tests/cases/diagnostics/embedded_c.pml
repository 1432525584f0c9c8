c_decl { int counter; }
c_state "int other" "Global"
c_track "&counter" "sizeof(int)"
byte x;
init {
	c_code { counter = { 1 }; };
	x = 1;
	c_expr { counter > 0 } -> x = 2;
	if :: c_expr { counter } && x == 1 -> skip :: else fi
}
