/*
 * A directory protocol in which each message names its sender, a cache or the
 * home node, by a union of both. The network keeps up to three messages in a
 * multiset, so that any of them may arrive next. A cache asks for the line; the
 * home lends it to one cache at a time, and calls it back for the next one.
 *
 * expect: states 45 transitions 66 assertions 0 invalid_end_states 0
 * expect -DN=3: states 331 transitions 558 assertions 0 invalid_end_states 0
 * group: 2
 * property one_owner: holds
 * property a_cache_can_get_the_line: holds
 */
const N: 2;

type
  Cache: scalarset(N);
  Node: union { Cache, enum { home } };
  Kind: enum { ask, lend, recall, give_back };
  Message: record kind: Kind; from: Node; target: Node; end;

var
  net: multiset[3] of Message;
  has: array[Cache] of boolean;
  asking: array[Cache] of boolean;
  owner: Node;       -- who has the line, as the home knows
  next: Cache;       -- whom it is called back for; undefined if it is not

procedure send(kind: Kind; from: Node; target: Node);
var m: Message;
begin
  m.kind := kind;
  m.from := from;
  m.target := target;
  multisetadd(m, net);
end;

startstate "the home has the line" begin
  undefine net;
  for c: Cache do has[c] := false; asking[c] := false; end;
  owner := home;
  undefine next;
end;

ruleset c: Cache do
  rule "ask" !has[c] & !asking[c] & multisetcount(i: net, net[i].kind = ask) < 2 ==> begin
    asking[c] := true;
    send(ask, c, home);
  end;
end;

choose i: net do
  alias m: net[i] do
    rule "lend" m.kind = ask & owner = home & isundefined(next) ==> begin
      owner := m.from;
      send(lend, home, m.from);
      multisetremove(i, net);
    end;

    rule "recall" m.kind = ask & owner != home & isundefined(next) ==> begin
      next := m.from;
      send(recall, home, owner);
      multisetremove(i, net);
    end;

    rule "come back" m.kind = give_back & !isundefined(next) ==> begin
      owner := next;
      undefine next;
      send(lend, home, owner);
      multisetremove(i, net);
    end;

    ruleset c: Cache do
      rule "get" m.kind = lend & m.target = c ==> begin
        has[c] := true;
        asking[c] := false;
        multisetremove(i, net);
      end;

      rule "return" m.kind = recall & m.target = c & has[c] ==> begin
        has[c] := false;
        send(give_back, c, home);
        multisetremove(i, net);
      end;
    end;
  end;
end;

invariant "one owner" forall c: Cache do forall d: Cache do has[c] & has[d] -> c = d end end;
liveness "a cache can get the line" exists c: Cache do has[c] end;
