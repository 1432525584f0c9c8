/* error: assertion line 16 */
/* Control goes from the sender's atomic sequence to the receiver's. */
chan c = [0] of { byte };
byte x;

active proctype Sender() {
	atomic { x = 1; c!x; x = x + 10 }
}

active proctype Receiver() {
	byte y;
	atomic {
		c?y;
		y = y + x;
		x = 5;
		assert(y == 1)
	}
}
