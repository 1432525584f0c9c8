/* error: deadlock */
/* A process that ended but is not the youngest cannot die; its child waits for ever. */
chan c = [0] of { byte };

proctype Child() {
	byte n;
	c?n;
	n = 1
}

active proctype Parent() {
	if
	:: run Child(); c!1
	:: run Child()
	fi
}
