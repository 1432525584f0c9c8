/* Contention, seed 39, shrunk. Q's private step decides whether P finds somebody to shake hands with. */
chan a = [0] of { byte };
byte g;
active proctype P() {
  byte x;
  if
  :: a!1 -> g = 3
  :: else -> x = 1 - x; g = 4
  fi
}
active proctype Q() {
  byte x;
  x = 1 - x;
  a?g
}
