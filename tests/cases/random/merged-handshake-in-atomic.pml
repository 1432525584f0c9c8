/* Contention, seed 65, shrunk. Q's private step makes it ready for the handshake at which P's atomic block may stall. */
chan a = [0] of { byte };
byte g, h;
active proctype P() {
  atomic { h = 3; a!1 }
}
active proctype Q() {
  skip;
  a?g
}
active proctype Watcher() { assert(!(g == 0 && h == 3)) }
