chan c = [1] of { byte };
bool b;
init {
	!full(c);
	b = !(b && empty(c));
	full(c) == 1;
	c!nempty(c);
	if :: nfull(c) && b -> skip :: empty(c) || full(c) -> skip fi
}
ltl p { [] full(c) }
