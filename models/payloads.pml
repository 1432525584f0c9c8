/*
 * Payloads that nobody looks at: a sender picks any colour, hands it through
 * a link that may lose it, and keeps it until it is acknowledged; relays pass
 * it on, and the last station compares it with what was sent. Colours are
 * only chosen, stored, sent and compared, so they are interchangeable: no
 * process can be exchanged with another, but the three values can. Data
 * symmetry: S3 on the colours.
 *
 * expect: states 6019 transitions 15490 assertions 0 invalid_end_states 0
 * group: 6
 * property delivered: violated
 */
mtype = { red, green, blue };

chan first = [1] of { mtype, bit };
chan second = [1] of { mtype, bit };
chan back = [1] of { bit };

mtype wanted;
bit news;

active proctype sender() {
    bit number, answer;
    do
    :: atomic {
           if
           :: wanted = red
           :: wanted = green
           :: wanted = blue
           fi;
           news = true
       };
       do
       :: first!wanted,number
       :: first?_,_                     /* lost */
       :: back?answer;
          if
          :: answer == number -> break
          :: else
          fi
       od;
       number = 1 - number
    od
}

active proctype relay() {
    mtype held;
    bit number;
    do
    :: first?held,number;
       second!held,number
    od
}

active proctype station() {
    mtype got;
    bit number, expected;
    do
    :: second?got,number;
       if
       :: number == expected ->
          atomic { assert(got == wanted); news = false };
          expected = 1 - expected
       :: else
       fi;
       back!number
    od
}

ltl delivered { [] (news -> <> !news) }
