/* The processes of a state, for the generated model: which exist, where each one is, and how to create another.

   The model defines where the slots are (`bases`), which kinds fit into each (`room_for`, as bits), and how to read a
   slot. */
#ifndef PROCESSES_H
#define PROCESSES_H

#include "coset.h"

#define MOST_NUMBERS 255 /* the most processes: process numbers are bytes */

/* Mutually recursive functions (moves.h, handshake.h, enabled.h). */
static void arrive(struct context *ctx, const u8 *t, int pid, int hold);
static void failed(struct context *ctx, int edge);
static int offer(struct context *ctx, const u8 *t, int pid, int number, const int *v);
#if MODEL_PRIORITISED
static int may_move(struct context *ctx, const u8 *s, int pid);
#endif

static inline int has_room(int pid, int kind) { return pid < MODEL_SLOTS && (room_for[pid] >> kind & 1); }

static inline int exists(const u8 *s, int pid) { return pid >= 0 && pid < process_count(s); }

static inline const u8 *slot_of(const u8 *s, int pid) { return s + bases[pid < 0 ? 0 : pid]; }

/* The process if it exists and is of this kind, otherwise -1. */
static inline int existing(const u8 *s, int pid, int kind) {
  return exists(s, pid) && kind_of(s, pid) == kind ? pid : -1;
}

/* The process of this kind with the smallest number, or -1. */
static inline int oldest(const u8 *s, int kind) {
  for (int pid = 0; pid < process_count(s); pid++)
    if (kind_of(s, pid) == kind) return pid;
  return -1;
}

/* The slot of a new process; -1 if there is none, which is a fault. */
static inline int new_process(struct context *ctx, u8 *t, int kind) {
  int pid = process_count(t);
  if (pid < MOST_NUMBERS && has_room(pid, kind)) {
    set_process_count(t, pid + 1);
    set_kind(t, pid, kind);
    return pid;
  }
  if (pid < MOST_NUMBERS) {
    ctx->overflow_slot = pid;
    ctx->overflow_kind = kind;
  }
  fault_value(ctx, FAULT_PROCESSES);
  return -1;
}

/* --- locations ---------------------------------------------------------------------------------------------------- */

static inline int position_of(const u8 *s, int pid) {
  return exists(s, pid) ? location_in(s + bases[pid], kind_of(s, pid)) : 0;
}

/* The same, as numbered by SPIN. */
static inline int known_position(const u8 *s, int pid) {
  return exists(s, pid) ? location_number(kind_of(s, pid), position_of(s, pid)) : 0;
}

static inline int at_some_progress(const u8 *s) {
  for (int pid = 0; pid < process_count(s); pid++)
    if (is_progress(kind_of(s, pid), position_of(s, pid))) return 1;
  return 0;
}

static inline int at_some_accept(const u8 *s) {
  for (int pid = 0; pid < process_count(s); pid++)
    if (is_accept(kind_of(s, pid), position_of(s, pid))) return 1;
  return 0;
}

/* --- priorities --------------------------------------------------------------------------------------------------- */

#if MODEL_PRIORITISED
static inline int priority_of(const u8 *s, int pid) {
  return exists(s, pid) ? priority_in(s + bases[pid], kind_of(s, pid)) : 0;
}

static inline void set_priority(struct context *ctx, u8 *t, int pid, int value) {
  if (!exists(t, pid)) return;
  if (value < 1 || value > 255) fault_value(ctx, FAULT_PRIORITY);
  else set_priority_in(t + bases[pid], kind_of(t, pid), value);
}
#endif

#endif
