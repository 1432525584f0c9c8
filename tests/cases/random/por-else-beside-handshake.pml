/* Contention, seed 127, shrunk. P's private step must not always come first: Q notices that P is not ready. */
chan a = [0] of { byte };
byte g;
active proctype P() {
  byte y;
  y = 2;
  a?g
}
active proctype Q() {
  if
  :: a!1
  :: g == 1 -> g = 3
  :: else -> g = 5
  fi
}
