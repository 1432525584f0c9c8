/* Contention, seed 21, shrunk. P tells in a message whether there is one in Q's channel. */
chan a = [1] of { byte };
chan c = [1] of { byte };
byte g;
active proctype P() {
  c!a?[1];
  c?g
}
active proctype Q() {
  a!1;
  a?_
}
active proctype Watcher() { assert(!(g == 1)) }
