/* Seed 184, shrunk. SPIN finds the place of a sorted message by the value before it is cut to the field: -7 goes before 1,
   and is 249 then. */
chan c = [2] of { byte };
active proctype P() {
  c!1;
  c!!-7;
  assert(c?[1])
}
