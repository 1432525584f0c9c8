/* Contention, seed 267, shrunk. The escape is possible only after R's private steps, and then takes precedence. */
chan a = [0] of { byte };
byte h;
active proctype Q() {
  byte x;
  { x = 1 - x; h = 5; false } unless { a!1 }
}
active proctype R() {
  byte x, y;
  x = 0;
  y = 0;
  a?1
}
ltl rare { [] !(h == 5) }
