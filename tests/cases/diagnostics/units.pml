x = 1;
byte x
init() { skip }
proctype P { skip }
proctype byte() { skip }
proctype () { skip }
active [300] proctype Q() { skip }
active [x + 1] proctype R() { skip }
active proctype S() priority x { skip }
active proctype S2() provided x { skip }
typedef { byte a }
typedef U { }
fi
ltl p { [] (x == 1 }
ltl q { }
ltl p { x == 1 }
ltl r { x = 1 }
ltl s [] x == 1
