/* error: never never_0 */
/* The consumer may see nothing but ones from some time on.  Two rounds of the producer are one of the claim. */
chan c = [1] of { bit };
bit last;

active proctype Producer() {
	do
	:: c!0
	:: c!1
	od
}

active proctype Consumer() {
	do
	:: atomic { c?last; skip }
	od
}

never {
	do
	:: true
	:: last == 1 -> goto accept
	od;
accept:	do
	:: last == 1
	od
}
