/*
 * Peterson's filter lock for N processes, statement by statement as in
 * peterson.pml: a process climbs N-1 rungs. On each rung it writes its name and
 * waits until another process has come there later, or until all others are on
 * lower rungs.
 *
 * expect: states 90720 transitions 288384 assertions 0 invalid_end_states 0
 * expect -DN=3: states 3520 transitions 9150 assertions 0 invalid_end_states 0
 * group: 24
 */
const
  N: 4;

type
  process: scalarset(N);
  rung: 0..N-1;
  place: enum { choose, climb, announce, sign, wait, enter, check, leave, retire, forget };

var
  at: array [process] of place;
  r: array [process] of rung;
  standing: array [process] of rung;
  last: array [rung] of process;
  inside: 0..N;

startstate
begin
  for p: process do
    at[p] := choose;
    r[p] := 0;
    standing[p] := 0;
  end;
  undefine last;
  inside := 0;
end;

ruleset p: process do
  rule "go on climbing"
    at[p] = choose & r[p] < N - 1 ==>
  begin
    at[p] := climb;
  end;

  rule "at the top"
    at[p] = choose & r[p] = N - 1 ==>
  begin
    at[p] := enter;
  end;

  rule "climb"
    at[p] = climb ==>
  begin
    r[p] := r[p] + 1;
    at[p] := announce;
  end;

  rule "announce"
    at[p] = announce ==>
  begin
    standing[p] := r[p];
    at[p] := sign;
  end;

  rule "sign"
    at[p] = sign ==>
  begin
    last[r[p]] := p;
    at[p] := wait;
  end;

  rule "pass"
    at[p] = wait & (last[r[p]] != p | forall q: process do q = p | standing[q] < r[p] end) ==>
  begin
    at[p] := choose;
  end;

  rule "enter"
    at[p] = enter ==>
  begin
    inside := inside + 1;
    at[p] := check;
  end;

  rule "check"
    at[p] = check ==>
  begin
    assert inside = 1 "mutual exclusion";
    at[p] := leave;
  end;

  rule "leave"
    at[p] = leave ==>
  begin
    inside := inside - 1;
    at[p] := retire;
  end;

  rule "retire"
    at[p] = retire ==>
  begin
    standing[p] := 0;
    at[p] := forget;
  end;

  rule "forget"
    at[p] = forget ==>
  begin
    r[p] := 0;
    at[p] := choose;
  end;
end;
