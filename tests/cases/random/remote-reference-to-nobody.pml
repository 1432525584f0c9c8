/* Contention, seed 222, shrunk. There is no process 2, so P[2]:x is 0, and 0 is the number of one of the two: they are not
   alike. It shows late, when nearby states have been tried. */
pid owner = 4, turn = 4;
byte ticks;
active [2] proctype P() {
  pid x = _pid;
  do
  :: atomic { ticks == 25 && owner == 4 -> owner = _pid }
  :: atomic { ticks == 25 && owner == _pid && turn == 4 -> turn = P[2]:x; assert(turn == owner) }
  :: ticks < 25 -> ticks++
  od
}
