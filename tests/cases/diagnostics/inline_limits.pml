/* Inlines can be nested 16 deep. */
byte q;
proctype P() { skip }
inline i1() { skip }
inline i2() { i1() }
inline i3() { i2() }
inline i4() { i3() }
inline i5() { i4() }
inline i6() { i5() }
inline i7() { i6() }
inline i8() { i7() }
inline i9() { i8() }
inline i10() { i9() }
inline i11() { i10() }
inline i12() { i11() }
inline i13() { i12() }
inline i14() { i13() }
inline i15() { i14() }
inline i16() { i15() }
inline i17() { i16() }
inline set(p) { q = p }
chan c = [1] of { byte, byte };
init {
	i16();
	i17();
	set(run P());
	set(c?[1, 2])
}
