/* Contention, seed 372, shrunk. P's private step makes the escape of Q possible. */
chan a = [0] of { byte };
byte g, h;
active proctype P() {
  byte x, y;
  x = 1;
  a?y
}
active proctype Q() {
  byte y;
  { g = y; y = 2 } unless { a!1; h = 3 }
}
