/* Contention, seed 178, shrunk. The first P can meet R before the second P is there: the two are not alike until then. */
chan a = [0] of { byte };
byte g, h, k;
proctype P() {
  byte x, y;
  if
  :: x == 0 -> y = 1
  :: else
  fi;
  atomic {
    h = 4;
    if
    :: a!1
    :: k == 3
    fi;
    g = 1
  };
  end: false
}
proctype R() {
  a?1;
  end: false
}
init { run P(); run R(); run P(); end: false }
