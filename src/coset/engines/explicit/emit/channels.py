"""Channels as C: for each type of message the functions that test, put and remove, and the way from a number to
a channel.

A channel is its length (one byte) and its messages, one after the other; places behind the last message are 0, so
that equal contents are equal bytes.  A channel of capacity 0 has no bytes at all.
"""

from __future__ import annotations

from collections.abc import Iterator

from coset.engines.explicit.emit.expression import fitted, read, write
from coset.engines.explicit.layout import Layout, MessageType


def channel_functions(layout: Layout) -> Iterator[str]:
    """The functions of all message types, and those that find out the type first."""
    for type_ in layout.types:
        yield from type_functions(type_)
    yield from lookup(layout)
    yield from generic(layout)


def type_functions(type_: MessageType) -> Iterator[str]:
    n, fields, stride = type_.number, type_.fields, type_.stride
    fits = " ".join(f"v[{k}] = {fitted(domain, f'v[{k}]')};" for k, domain in enumerate(type_.domains))
    yield f"static inline void fit_{n}(int *v) {{ {fits} }}"
    if not type_.capacity:
        return
    tests = " && ".join(f"(!(mask & {1 << k}u) || {read(f, 'c')} == v[{k}])" for k, f in enumerate(fields))
    writes = " ".join(write(f, "c", f"v[{k}]") for k, f in enumerate(fields))
    yield f"""/* message type {n}, {type_.capacity} of them in a channel */
static inline int matches_{n}(const u8 *c, const int *v, unsigned mask) {{
  (void)c; (void)v; (void)mask;
  return {tests};
}}
static inline int find_{n}(const u8 *c, const int *v, unsigned mask, int anywhere) {{
  int count = c[0];
  for (int k = 0; k < count && (k == 0 || anywhere); k++)
    if (matches_{n}(c + 1 + k * {stride}, v, mask)) return k;
  return -1;
}}
static inline void put_{n}(u8 *c, const int *v, int at) {{
  int count = c[0]++;
  if (at < count) memmove(c + 1 + (at + 1) * {stride}, c + 1 + at * {stride}, (size_t)((count - at) * {stride}));
  c += 1 + at * {stride};
  memset(c, 0, {stride});
  {writes}
}}
static inline void take_{n}(u8 *c, int at) {{
  int count = --c[0];
  memmove(c + 1 + at * {stride}, c + 1 + (at + 1) * {stride}, (size_t)((count - at) * {stride}));
  memset(c + 1 + count * {stride}, 0, {stride});
}}"""
    compares = "\n    ".join(
        f"if ({read(f, 'm')} != v[{k}]) {{ if ({read(f, 'm')} > v[{k}]) break; else continue; }}"
        for k, f in enumerate(fields)
    )
    yield f"""static inline int sorted_place_{n}(const u8 *c, const int *v) {{
  int at = 0;
  for (; at < c[0]; at++) {{
    const u8 *m = c + 1 + at * {stride};
    {compares}
  }}
  return at;
}}"""


def lookup(layout: Layout) -> Iterator[str]:
    """From the number of a channel to its type and place."""
    yield "struct channel { int type, offset, capacity; };"
    if layout.fixed:
        table = layout.channel_table()
        rows = ", ".join(f"{{{t.number}, {offset}, {t.capacity}}}" for t, offset in table)
        firsts, number = [], 1 + len(layout.channels)
        for kinds in layout.choices:
            firsts.append(number)
            number += len(layout.kinds[kinds[0]].channels)
        yield f"""static const struct channel channels[] = {{{rows or "{0, 0, 0}"}}};
static const int first_channels[] = {{{", ".join(map(str, firsts)) or "1"}}};
static inline int first_channel(const u8 *s, int pid) {{ (void)s; return first_channels[pid]; }}
static inline const struct channel *channel_of(struct context *x, const u8 *s, int number, struct channel *room) {{
  int count = {len(layout.channels)};
  (void)room;
  if (number > count) count = process_count(s) == SLOTS ? {len(table)} : first_channels[process_count(s)] - 1;
  if (number < 1 || number > count) {{ fault_value(x, FAULT_CHANNEL); return NULL; }}
  return &channels[number - 1];
}}"""
        return
    rows = ", ".join(f"{{{t.number}, {offset}, {t.capacity}}}" for t, offset in layout.channels)
    cases = []
    for k, kind in enumerate(layout.kinds):
        inner = ", ".join(f"{{{t.number}, {offset}, {t.capacity}}}" for t, offset in kind.channels)
        cases.append(f"static const struct channel channels_of_{k}[] = {{{inner or '{0, 0, 0}'}}};")
    counts = ", ".join(str(len(kind.channels)) for kind in layout.kinds)
    tables = ", ".join(f"channels_of_{k}" for k in range(len(layout.kinds)))
    newline = "\n"
    yield f"""static const struct channel channels[] = {{{rows or "{0, 0, 0}"}}};
{newline.join(cases)}
static const struct channel *const channels_of[] = {{{tables}}};
static const int channel_counts[] = {{{counts}}};
static inline int first_channel(const u8 *s, int pid) {{
  int number = {len(layout.channels) + 1};
  for (int k = 0; k < pid; k++) number += channel_counts[kind_of(s, k)];
  return number;
}}
static inline const struct channel *channel_of(struct context *x, const u8 *s, int number, struct channel *room) {{
  int rest = number - 1;
  if (rest >= 0 && rest < {len(layout.channels)}) return &channels[rest];
  rest -= {len(layout.channels)};
  for (int k = 0; rest >= 0 && k < process_count(s); k++) {{
    int kind = kind_of(s, k);
    if (rest < channel_counts[kind]) {{
      *room = channels_of[kind][rest];
      room->offset += bases[k];
      return room;
    }}
    rest -= channel_counts[kind];
  }}
  fault_value(x, FAULT_CHANNEL);
  return NULL;
}}"""


def generic(layout: Layout) -> Iterator[str]:
    """Tests on a channel of which only the number is known."""
    polls = "\n    ".join(
        f"case {t.number}: return find_{t.number}(s + c->offset, v, mask, anywhere) >= 0;"
        for t in layout.types
        if t.capacity
    )
    yield f"""static inline int channel_length(struct context *x, const u8 *s, int number) {{
  struct channel room;
  const struct channel *c = channel_of(x, s, number, &room);
  return c && c->capacity ? s[c->offset] : 0;
}}
static inline int channel_capacity(struct context *x, const u8 *s, int number) {{
  struct channel room;
  const struct channel *c = channel_of(x, s, number, &room);
  return c && c->capacity ? c->capacity : 1;
}}
static inline int receivable(struct context *x, const u8 *s, int number, const int *v, unsigned mask, int anywhere) {{
  struct channel room;
  const struct channel *c = channel_of(x, s, number, &room);
  (void)v; (void)mask; (void)anywhere;
  if (!c) return 0;
  switch (c->type) {{
    {polls}
    default: return 0;
  }}
}}
static inline int channel_polled(struct context *x, const u8 *s, int number) {{
  struct channel room;
  const struct channel *c = channel_of(x, s, number, &room);
  return !c ? 0 : c->capacity ? s[c->offset] : fault_value(x, FAULT_POLL);
}}"""
