"""Models whose groups are published, for any size, written as the papers describe them: one variable for each process where
they have one, ids as parameters, conditions over all processes spelled out.

Donaldson and Miller, Automatic symmetry detection for model checking using computational group theory (FM 2005), Table 1;
Zhang et al., Constraint-based automatic symmetry detection (ASE 2013), Table I; TopSPIN's manual.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def started(runs: Iterable[str]) -> str:
    return "init { atomic { " + "; ".join(f"run {run}" for run in runs) + " } }\n"


def chosen(options: Iterable[str]) -> str:
    return "if " + " ".join(f":: {option}" for option in options) + " fi"


def peterson(n: int) -> str:
    """Mutual exclusion of n processes, numbered from 1; whether a process may pass a level is computed in one step."""

    def ahead(i: str) -> str:
        return " && ".join(f"({i} == {j} || level[{j}] < k)" for j in range(1, n + 1))

    return f"""
        byte level[{n + 1}]; pid last[{n}]; byte inside;
        proctype user(pid me) {{
          byte k; bool ok;
          do :: k = 1;
             do :: k < {n} ->
                   atomic {{ level[me] = k; last[k] = me }};
          again:   atomic {{ ok = (({ahead("me")}) || last[k] != me);
                     if :: ok -> ok = 0; k++ :: else -> goto again fi }}
                :: k == {n} -> break
             od;
             inside++; assert(inside == 1); inside--;
             level[me] = 0
          od
        }}
        {started(f"user({i})" for i in range(1, n + 1))}"""


def token_ring(n: int) -> str:
    """A token goes round; any node may make it."""
    return f"""
        mtype = {{ token }}; bit made;
        {" ".join(f"chan link{i} = [1] of {{ mtype }};" for i in range(n))}
        proctype node(chan left; chan right) {{
          if :: atomic {{ !made -> made = 1 }}; right!token :: made fi;
          do :: left?token; right!token od
        }}
        {started(f"node(link{i}, link{(i + 1) % n})" for i in range(n))}"""


def hypercube(d: int) -> str:
    """Packets between the corners of a cube; node p is joined to the corners that differ from p - 1 in one digit."""
    nodes = range(1, 2**d + 1)
    ways = " ".join(
        f":: _pid == {p} -> " + chosen(f"link{((p - 1) ^ (1 << bit)) + 1}!packet" for bit in range(d)) for p in nodes
    )
    return f"""
        {" ".join(f"chan link{p} = [1] of {{ pid }};" for p in nodes)}
        bit flying;
        proctype node(chan in) {{
          pid packet;
          do :: atomic {{ !flying -> flying = 1; {chosen(f"packet = {p}" for p in nodes)} }}; goto forward
             :: in?packet;
        forward: atomic {{ if :: packet == _pid -> flying = 0 :: else -> if {ways} fi fi; packet = 0 }}
          od
        }}
        {started(f"node(link{p})" for p in nodes)}"""


def load_balancer(clients: Sequence[int], servers: int) -> str:
    """Balancers with clients of their own; each chooses freely from variables of its own that hold the servers' channels."""
    desks, queues = range(len(clients)), range(servers)
    outs = [f"out{s}" for s in queues]
    runs = [f"client(desk{b}, answer{b}_{c})" for b in desks for c in range(clients[b])]
    runs += [f"balancer(desk{b}, {', '.join(f'queue{s}' for s in queues)})" for b in desks]
    runs += [f"server(queue{s})" for s in queues]
    return f"""
        {" ".join(f"chan desk{b} = [0] of {{ chan }};" for b in desks)}
        {" ".join(f"chan queue{s} = [1] of {{ chan }};" for s in queues)}
        {" ".join(f"chan answer{b}_{c} = [0] of {{ bit }};" for b in desks for c in range(clients[b]))}
        proctype client(chan desk; chan mine) {{ do :: desk!mine; mine?0 od }}
        proctype balancer(chan desk; {"; ".join(f"chan {out}" for out in outs)}) {{
          chan who;
          do :: desk?who; {chosen(f"{out}!who" for out in outs)} od
        }}
        proctype server(chan in) {{ chan who; do :: in?who; who!0 od }}
        {started(runs)}"""


def allocator(levels: Sequence[int]) -> str:
    """Clients of several levels of priority, each with a link to the allocator, which serves higher levels first."""
    numbers = [(level, c) for level, count in enumerate(levels) for c in range(count)]
    options = []
    for level, c in numbers:
        free = " && ".join(f"empty(link{u}_{k})" for u, k in numbers if u < level)
        wait = f"atomic {{ {free} && " if free else "atomic { "
        options.append(
            f":: {wait}link{level}_{c}?[ask] -> link{level}_{c}?ask }}; link{level}_{c}!give; link{level}_{c}?back"
        )
    return f"""
        mtype = {{ ask, give, back }};
        {" ".join(f"chan link{u}_{c} = [1] of {{ mtype }};" for u, c in numbers)}
        proctype client(chan link) {{ do :: link!ask; link?give; link!back od }}
        proctype allocator() {{ do {" ".join(options)} od }}
        {started([*(f"client(link{u}_{c})" for u, c in numbers), "allocator()"])}"""


def three_tiered(clients: Sequence[int]) -> str:
    """Clients ask their server, which asks the one database."""
    servers = range(len(clients))
    runs = ["database()", *(f"server(desk{s}, query{s})" for s in servers)]
    runs += [f"client(desk{s}, reply{s}_{c})" for s in servers for c in range(clients[s])]
    return f"""
        chan database_in = [0] of {{ chan }};
        {" ".join(f"chan desk{s} = [0] of {{ chan }}; chan query{s} = [0] of {{ bit }};" for s in servers)}
        {" ".join(f"chan reply{s}_{c} = [0] of {{ bit }};" for s in servers for c in range(clients[s]))}
        proctype client(chan desk; chan mine) {{ do :: desk!mine; mine?0 od }}
        proctype server(chan desk; chan mine) {{ chan who; do :: desk?who; database_in!mine; mine?0; who!0 od }}
        proctype database() {{ chan who; do :: database_in?who; who!0 od }}
        {started(runs)}"""


def telephone(n: int) -> str:
    """Users who dial one another, with a line each; `partner` has who is connected."""
    users = range(n)
    return f"""
        chan line[{n}] = [1] of {{ pid }};
        pid partner[{n}]; bit busy[{n}];
        proctype user(pid me) {{
          pid dialled = {n};
          do :: atomic {{ !busy[me] -> busy[me] = 1; {chosen(f"dialled = {i}" for i in users)} }};
                if :: atomic {{ dialled != me && !busy[dialled] ->
                               busy[dialled] = 1; partner[me] = dialled; partner[dialled] = me }};
                      line[dialled]!me; line[me]?eval(dialled); busy[dialled] = 0
                   :: dialled == me || busy[dialled]
                fi;
                atomic {{ partner[me] = {n}; busy[me] = 0; dialled = {n} }}
             :: atomic {{ busy[me] && len(line[me]) == 1 -> line[me]?dialled }};
                line[dialled]!me; atomic {{ partner[me] = {n}; dialled = {n} }}
          od
        }}
        init {{ atomic {{ {"; ".join(f"partner[{i}] = {n}" for i in users)}; {"; ".join(f"run user({i})" for i in users)} }} }}
        """


def email(n: int, blocked: bool) -> str:
    """Clients with boxes, a network and a mailer, which may refuse the messages to client 3."""
    clients = range(1, n + 1)
    keep = f":: {'dest != 3 && ' if blocked else ''}dest != 0 -> " + chosen(
        f"dest == {i} -> box{i}!sender" for i in clients
    )
    drop = ":: dest == 3 -> skip" if blocked else ""
    return f"""
        {" ".join(f"chan box{i} = [1] of {{ pid }};" for i in clients)}
        chan network = [2] of {{ pid, pid }};
        proctype client(chan box) {{
          pid dest, other;
          do :: {chosen(f"dest = {i}" for i in clients)}; network!_pid, dest; dest = 0
             :: box?other; other = 0
          od
        }}
        proctype mailer() {{
          pid sender, dest;
          do :: network?sender, dest; if {keep} {drop} fi; sender = 0; dest = 0 od
        }}
        {started([*(f"client(box{i})" for i in clients), "mailer()"])}"""
