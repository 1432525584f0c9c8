/* error: assertion line 24 */
/* Sorted sends, receives at random places, polls, and channels passed in messages. */
mtype = { data, ack };
chan box = [3] of { mtype, byte };
chan desk = [1] of { chan };

active proctype P() {
	chan mine = [1] of { byte };
	byte n;
	box!!data(3);
	box!!data(1);
	desk!mine;
	mine?n;
	box!ack(n)
}

active proctype Q() {
	chan reply;
	byte n;
	box??data(1);
	desk?reply;
	reply!7;
	box??ack(n);
	assert(n != 7 || len(box) == 0)
}
