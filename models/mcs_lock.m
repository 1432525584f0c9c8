/*
 * The queue lock of Mellor-Crummey and Scott (1991): a process swaps itself into
 * the tail, tells its predecessor, and spins on a flag of its own. The one that
 * leaves passes the lock on to the next one, or compares and swaps the tail if
 * it knows of none. A pointer that is null is an undefined variable.
 *
 * expect: states 3913 transitions 11368 assertions 0 invalid_end_states 0
 * expect -DN=3: states 322 transitions 720 assertions 0 invalid_end_states 0
 * group: 24
 * property one_at_a_time: holds
 * property the_lock_is_free_again: holds
 */
const
  N: 4;

type
  Process: scalarset(N);
  Place: enum { outside, announcing, linking, spinning, inside, leaving, awaiting, passing };

var
  at: array [Process] of Place;
  tail: Process;
  predecessor: array [Process] of Process;
  next: array [Process] of Process;
  locked: array [Process] of boolean;

function holds(p: Process): boolean;
begin
  return at[p] = inside | at[p] = leaving | at[p] = awaiting | at[p] = passing;
end;

startstate "nobody waits"
begin
  undefine tail;
  undefine predecessor;
  undefine next;
  for p: Process do
    at[p] := outside;
    locked[p] := false;
  end;
end;

ruleset p: Process do
  rule "swap the tail"
    at[p] = outside ==>
  begin
    if isundefined(tail) then
      at[p] := inside;
    else
      predecessor[p] := tail;
      at[p] := announcing;
    end;
    tail := p;
  end;

  rule "raise the flag"
    at[p] = announcing ==>
  begin
    locked[p] := true;
    at[p] := linking;
  end;

  rule "tell the predecessor"
    at[p] = linking ==>
  begin
    next[predecessor[p]] := p;
    undefine predecessor[p];
    at[p] := spinning;
  end;

  rule "get the lock"
    at[p] = spinning & !locked[p] ==>
  begin
    at[p] := inside;
  end;

  rule "look for the next"
    at[p] = inside ==>
  begin
    if isundefined(next[p]) then
      at[p] := leaving;
    else
      at[p] := passing;
    end;
  end;

  rule "compare and swap"
    at[p] = leaving ==>
  begin
    if tail = p then
      undefine tail;
      at[p] := outside;
    else
      at[p] := awaiting;
    end;
  end;

  rule "the next is known"
    at[p] = awaiting & !isundefined(next[p]) ==>
  begin
    at[p] := passing;
  end;

  rule "pass the lock on"
    at[p] = passing ==>
  begin
    locked[next[p]] := false;
    undefine next[p];
    at[p] := outside;
  end;
end;

invariant "one at a time"
  forall p: Process do forall q: Process do holds(p) & holds(q) -> p = q end end;

liveness "the lock is free again"
  isundefined(tail);
