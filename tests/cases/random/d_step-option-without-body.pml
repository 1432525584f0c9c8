/* Seeds 83, 94, 136, 156, 180, shrunk. In a d_step, an option that is only a guard goes on to what follows the `fi`. */
byte x;
active proctype P() {
  d_step {
    x = 255;
    if
    :: else
    fi;
    x = 2
  }
}
active proctype Q() {
  x = 1
}
