/*
 * Treiber's stack (1986) with cells that are used again, and its ABA problem: a
 * process reads the top and the cell below it, and compares and swaps later.
 * Meanwhile the same cell may have been taken, and pushed again onto another one.
 * Processes and cells may both be exchanged. `cover` in the rule "pop" finds a run
 * in which the cell below has changed, and the swap succeeds all the same.
 *
 * expect: states 52849 transitions 128766 assertions 0 invalid_end_states 0
 * expect -DCELLS=2: states 1535 transitions 3532 assertions 0 invalid_end_states 0
 * group: 12
 * property ABA: holds
 * property a_free_cell_is_on_top: holds
 */
const
  PROCESSES: 2;
  CELLS: 3;

type
  Process: scalarset(PROCESSES);
  Cell: scalarset(CELLS);
  Place: enum { idle, filling, popping };

var
  at: array [Process] of Place;
  top: Cell;                          -- undefined: the stack is empty
  below: array [Cell] of Cell;
  free: array [Cell] of boolean;
  mine: array [Process] of Cell;      -- the cell to push, or the top that was read
  seen: array [Process] of Cell;      -- the cell below it

startstate "an empty stack"
begin
  undefine top;
  undefine below;
  undefine mine;
  undefine seen;
  for p: Process do at[p] := idle; end;
  for c: Cell do free[c] := true; end;
end;

ruleset p: Process do
  ruleset c: Cell do
    rule "take a free cell"
      at[p] = idle & free[c] ==>
    begin
      free[c] := false;
      mine[p] := c;
      at[p] := filling;
    end;
  end;

  rule "push"
    at[p] = filling ==>
  begin
    if isundefined(top) then
      undefine below[mine[p]];
    else
      below[mine[p]] := top;
    end;
    top := mine[p];
    undefine mine[p];
    at[p] := idle;
  end;

  rule "read the top"
    at[p] = idle & !isundefined(top) ==>
  begin
    mine[p] := top;
    if !isundefined(below[top]) then
      seen[p] := below[top];
    end;
    at[p] := popping;
  end;

  rule "pop"
    at[p] = popping ==>
  begin
    if !isundefined(top) & top = mine[p] then
      cover isundefined(seen[p]) != isundefined(below[top]) "ABA";
      if isundefined(seen[p]) then
        undefine top;
      else
        top := seen[p];
      end;
      undefine below[mine[p]];
      free[mine[p]] := true;
    end;
    undefine seen[p];
    undefine mine[p];
    at[p] := idle;
  end;
end;

cover "a free cell is on top" !isundefined(top) & free[top];
