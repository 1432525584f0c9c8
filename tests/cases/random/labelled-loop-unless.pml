/* Seed 220, shrunk. A label may stand before `do ... od unless { ... }`. */
byte x;
active proctype P() {
  L: do
  :: x < 2 -> x++
  :: else -> break
  od unless {
    x == 2
  }
}
