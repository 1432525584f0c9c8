/* An index, a pattern and a message that tell how many messages there are: P must not always send first. */
chan a = [1] of { byte };
chan c = [1] of { byte };
byte t[2], g;
active proctype P() {
  a!1;
  skip
}
active proctype Q() {
  t[len(a)] = 1;
  c!(len(a) + 1);
  if
  :: c?eval(len(a)) -> g = 1
  :: c?_
  fi;
  assert(!(t[0] == 1 && g == 1))
}
