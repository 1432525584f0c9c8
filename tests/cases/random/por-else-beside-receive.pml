/* Contention, seed 134, shrunk by hand. Q notices that P has not sent yet. */
chan a = [2] of { byte };
byte h;
active proctype P() {
  a!1;
  h = 1
}
active proctype Q() {
  if
  :: a?1
  :: else -> assert(false)
  fi
}
