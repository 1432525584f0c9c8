/* Seed 93, shrunk. At the labelled entry of nested `unless` SPIN lets the inner and the outer escape compete;
   without the label, and everywhere else inside, the outer one goes first. */
byte x;
active proctype P() {
  L: {
    {
      x = 1
    } unless {
      x = 2
    }
  } unless {
    x = 3
  }
}
