/* Seed 1123, shrunk. `else` next to a handshake is taken only when nobody accepts the offer. */
chan c = [0] of { byte, bit };
byte x;
active proctype P() {
  if
  :: c!1, 0 -> x = 1
  :: else -> x = 2
  fi
}
active proctype Q() {
  x = 7;
  c?1, 0;
  x = 3
}
