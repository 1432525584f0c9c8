"""Channels as C: for each message type the functions that test, send and receive, and the tables of the channels' addresses
(runtime/model/channels.h and channel_lookup.h)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from coset.engines.explicit.emit.expression import fitted, read, write
from coset.engines.explicit.layout import Layout, MessageType


def channel_functions(layout: Layout) -> Iterator[str]:
    """The functions of all message types, and those that dispatch on the type."""
    yield '#include "channels.h"'
    for type_ in layout.types:
        yield from type_functions(type_)
    yield from tables(layout)
    yield polls(layout)
    yield '#include "channel_lookup.h"'


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
    if (matches_{n}(message_at(c, k, {stride}), v, mask)) return k;
  return -1;
}}
static inline void put_{n}(u8 *c, const int *v, int at) {{
  c = channel_insert(c, at, {stride});
  {writes}
}}
static inline void take_{n}(u8 *c, int at) {{ channel_remove(c, at, {stride}); }}"""
    compares = "\n    ".join(
        f"if ({read(f, 'm')} != v[{k}]) {{ if ({read(f, 'm')} > v[{k}]) break; else continue; }}"
        for k, f in enumerate(fields)
    )
    yield f"""static inline int sorted_place_{n}(const u8 *c, const int *v) {{
  int at = 0;
  for (; at < c[0]; at++) {{
    const u8 *m = message_at(c, at, {stride});
    {compares}
  }}
  return at;
}}"""


def tables(layout: Layout) -> Iterator[str]:
    """The tables of the channels' addresses."""
    if layout.fixed:
        every, number, firsts = layout.channel_table(), 1 + len(layout.channels), []
        for kinds in layout.choices:
            firsts.append(number)
            number += len(layout.kinds[kinds[0]].channels)
        yield f"enum {{ GLOBAL_CHANNELS = {len(layout.channels)}, ALL_CHANNELS = {len(every)} }};"
        yield rows("channels", every)
        yield f"static const int first_channels[] = {{{', '.join(map(str, firsts)) or '1'}}};"
        return
    yield f"enum {{ GLOBAL_CHANNELS = {len(layout.channels)} }};"
    yield rows("channels", layout.channels)
    for k, kind in enumerate(layout.kinds):
        yield rows(f"channels_of_{k}", kind.channels)
    names = ", ".join(f"channels_of_{k}" for k in range(len(layout.kinds)))
    yield f"static const struct channel *const channels_of[] = {{{names}}};"
    counts = ", ".join(str(len(kind.channels)) for kind in layout.kinds)
    yield f"static const int channel_counts[] = {{{counts}}};"


def rows(name: str, channels: Iterable[tuple[MessageType, int]]) -> str:
    """A table of channels; C has no empty ones."""
    found = ", ".join(f"{{{type_.number}, {offset}, {type_.capacity}}}" for type_, offset in channels)
    return f"static const struct channel {name}[] = {{{found or '{0, 0, 0}'}}};"


def polls(layout: Layout) -> str:
    """Whether a channel with a statically known type has a message."""
    cases = "\n    ".join(
        f"case {t.number}: return find_{t.number}(c, v, mask, anywhere) >= 0;" for t in layout.types if t.capacity
    )
    return f"""static inline int has_message(int type, const u8 *c, const int *v, unsigned mask, int anywhere) {{
  (void)c; (void)v; (void)mask; (void)anywhere;
  switch (type) {{
    {cases}
    default: return 0;
  }}
}}"""
