/*
 * A directory keeps caches coherent that ask to read or to write a line, over a
 * network that delivers messages in any order: it is a multiset. The home serves
 * one request at a time. It calls the line back from a writer, or invalidates
 * the readers and counts what they acknowledge, and waits until the new copy has
 * come. A reader that wants to write may be invalidated while its request waits.
 *
 * expect: states 284 transitions 444 assertions 0 invalid_end_states 0
 * expect -DN=3: states 9008 transitions 18513 assertions 0 invalid_end_states 0
 * group: 2
 * property one_writer: holds
 * property a_cache_can_write: holds
 */
const
  N: 2;

type
  Cache: scalarset(N);
  Node: union { Cache, enum { home } };
  Copy: enum { invalid, shared, modified };
  Kind: enum { read, write, call_back, invalidate, acknowledge, give_back, data, done };
  Message: record kind: Kind; from: Node; target: Node; end;
  Service: enum { none, reading, writing, granted };

var
  net: multiset [2 * N] of Message;
  copy: array [Cache] of Copy;
  wants: array [Cache] of Service;
  serves: Service;
  client: Cache;
  owner: Cache;                        -- undefined if no cache may write
  reader: array [Cache] of boolean;
  expected: 0..N;                      -- acknowledgements

procedure send(kind: Kind; from: Node; target: Node);
var m: Message;
begin
  m.kind := kind;
  m.from := from;
  m.target := target;
  multisetadd(m, net);
end;

startstate "the home has the only copy"
begin
  undefine net;
  undefine client;
  undefine owner;
  serves := none;
  expected := 0;
  for c: Cache do
    copy[c] := invalid;
    wants[c] := none;
    reader[c] := false;
  end;
end;

ruleset c: Cache do
  rule "want to read"
    copy[c] = invalid & wants[c] = none ==>
  begin
    wants[c] := reading;
    send(read, c, home);
  end;

  rule "want to write"
    copy[c] != modified & wants[c] = none ==>
  begin
    wants[c] := writing;
    send(write, c, home);
  end;
end;

ruleset c: Cache do
  rule "invalidate a reader"
    serves = writing & reader[c] & c != client ==>
  begin
    reader[c] := false;
    expected := expected + 1;
    send(invalidate, home, c);
  end;

  rule "grant"
    !isundefined(client) & client = c & isundefined(owner) & expected = 0 &
    (serves = reading | serves = writing & forall r: Cache do reader[r] -> r = c end) ==>
  begin
    if serves = reading then
      reader[c] := true;
    else
      reader[c] := false;
      owner := c;
    end;
    serves := granted;
    send(data, home, c);
  end;
end;

choose i: net do
  alias m: net[i] do
    ruleset c: Cache do
      rule "serve a reader"
        m.kind = read & m.from = c & serves = none ==>
      begin
        multisetremove(i, net);
        serves := reading;
        client := c;
        if !isundefined(owner) then
          send(call_back, home, owner);
        end;
      end;

      rule "serve a writer"
        m.kind = write & m.from = c & serves = none ==>
      begin
        multisetremove(i, net);
        serves := writing;
        client := c;
        if !isundefined(owner) then
          send(call_back, home, owner);
        end;
      end;

      rule "the line comes back"
        m.kind = give_back & m.from = c ==>
      begin
        multisetremove(i, net);
        undefine owner;
      end;

      rule "acknowledged"
        m.kind = acknowledge & m.from = c ==>
      begin
        multisetremove(i, net);
        expected := expected - 1;
      end;

      rule "served"
        m.kind = done & m.from = c ==>
      begin
        multisetremove(i, net);
        serves := none;
        undefine client;
      end;

      rule "give the line back"
        m.kind = call_back & m.target = c ==>
      begin
        multisetremove(i, net);
        copy[c] := invalid;
        send(give_back, c, home);
      end;

      rule "lose the copy"
        m.kind = invalidate & m.target = c ==>
      begin
        multisetremove(i, net);
        copy[c] := invalid;
        send(acknowledge, c, home);
      end;

      rule "get the line"
        m.kind = data & m.target = c ==>
      begin
        multisetremove(i, net);
        copy[c] := wants[c] = writing ? modified : shared;
        wants[c] := none;
        send(done, c, home);
      end;
    end;
  end;
end;

invariant "one writer"
  forall c: Cache do forall d: Cache do copy[c] = modified & copy[d] != invalid -> c = d end end;

liveness "a cache can write"
  exists c: Cache do copy[c] = modified end;
