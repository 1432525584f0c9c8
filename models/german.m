/*
 * German's challenge: a directory keeps caches coherent that ask for a line
 * shared or exclusive, through mailboxes of one place. Rule by rule the
 * protocol of cache_coherence.pml. Caches are a scalarset, which Coset reads
 * as any other type: it finds that they may be exchanged.
 *
 * expect: states 24968 transitions 110460 assertions 0 invalid_end_states 0
 * expect -DN=3: states 2046 transitions 6423 assertions 0 invalid_end_states 0
 * group: 24
 */
const
  N: 4;

type
  cache: scalarset(N);
  status: enum { invalid, shared, exclusive };
  request: enum { no_request, want_shared, want_exclusive };
  order: enum { no_order, grant_shared, grant_exclusive, invalidate };

var
  copy: array [cache] of status;
  waiting: array [cache] of boolean;
  asks: array [cache] of request;
  told: array [cache] of order;
  acks: array [cache] of boolean;
  command: request;
  client: cache;
  listed: array [cache] of boolean;
  warned: array [cache] of boolean;
  holders: 0..N;
  owned: boolean;
  shared_copies: 0..N;
  exclusive_copies: 0..N;

procedure drop_copy(c: cache);
begin
  if copy[c] = shared then
    shared_copies := shared_copies - 1;
  elsif copy[c] = exclusive then
    exclusive_copies := exclusive_copies - 1;
  end;
  copy[c] := invalid;
end;

procedure check_coherence();
begin
  assert exclusive_copies = 0 | (exclusive_copies = 1 & shared_copies = 0) "coherence";
end;

procedure list(c: cache);
begin
  if !listed[c] then
    listed[c] := true;
    holders := holders + 1;
  end;
end;

startstate
begin
  for c: cache do
    copy[c] := invalid;
    waiting[c] := false;
    asks[c] := no_request;
    told[c] := no_order;
    acks[c] := false;
    listed[c] := false;
    warned[c] := false;
  end;
  command := no_request;
  undefine client;
  holders := 0;
  owned := false;
  shared_copies := 0;
  exclusive_copies := 0;
end;

ruleset c: cache do
  rule "ask for a shared copy"
    !waiting[c] & copy[c] = invalid ==>
  begin
    waiting[c] := true;
    asks[c] := want_shared;
  end;

  rule "ask for an exclusive copy"
    !waiting[c] & copy[c] != exclusive ==>
  begin
    waiting[c] := true;
    asks[c] := want_exclusive;
  end;

  rule "give up the copy"
    told[c] = invalidate & !acks[c] ==>
  begin
    told[c] := no_order;
    drop_copy(c);
    acks[c] := true;
  end;

  rule "get a shared copy"
    told[c] = grant_shared ==>
  begin
    told[c] := no_order;
    drop_copy(c);
    copy[c] := shared;
    shared_copies := shared_copies + 1;
    check_coherence();
    waiting[c] := false;
  end;

  rule "get an exclusive copy"
    told[c] = grant_exclusive ==>
  begin
    told[c] := no_order;
    drop_copy(c);
    copy[c] := exclusive;
    exclusive_copies := exclusive_copies + 1;
    check_coherence();
    waiting[c] := false;
  end;

  rule "begin to serve"
    command = no_request & asks[c] != no_request ==>
  begin
    command := asks[c];
    client := c;
    asks[c] := no_request;
  end;

  rule "invalidate"
    (command = want_exclusive | (command = want_shared & owned)) & listed[c] & !warned[c] & told[c] = no_order ==>
  begin
    warned[c] := true;
    told[c] := invalidate;
  end;

  rule "acknowledged"
    acks[c] ==>
  begin
    acks[c] := false;
    warned[c] := false;
    listed[c] := false;
    holders := holders - 1;
    owned := false;
  end;

  rule "grant a shared copy"
    command = want_shared & client = c & !owned & told[c] = no_order ==>
  begin
    list(c);
    told[c] := grant_shared;
    command := no_request;
    undefine client;
  end;

  rule "grant an exclusive copy"
    command = want_exclusive & client = c & holders = 0 & told[c] = no_order ==>
  begin
    list(c);
    owned := true;
    told[c] := grant_exclusive;
    command := no_request;
    undefine client;
  end;
end;
