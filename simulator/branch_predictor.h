/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Predicts branches as the model does: directions by 2-bit counters and a global history or by TAGE
 * (tage.h), targets by a table, returns by a stack. Its state is in struct core. */
#ifndef TACHO_BRANCH_PREDICTOR_H
#define TACHO_BRANCH_PREDICTOR_H

#include "core.h"
#include "overlap.h"

static int mispredicts_target(struct core* c, const struct segment* s, uint64_t to) {
  uint64_t* target;
  int wrong;
  if (!c->model.branch.targets) return 1;
  target = &c->targets[s->branch & (c->model.branch.targets - 1)];
  wrong = *target != to;
  *target = to;
  return wrong;
}

static int mispredicts_return(struct core* c, uint64_t to) {
  if (!c->model.branch.returns) return 1;
  c->returns_top = (c->returns_top ? c->returns_top : (uint32_t)c->model.branch.returns) - 1;
  return c->returns[c->returns_top] != to;
}

static void remember_return(struct core* c, uint64_t back) {
  if (!c->model.branch.returns) return;
  c->returns[c->returns_top] = back;
  c->returns_top = c->returns_top + 1 == c->model.branch.returns ? 0 : c->returns_top + 1;
}

/* The next state of a saturating 2-bit counter, by its state and whether the branch was taken. */
static const uint8_t next_state[4][2] = {{0, 1}, {0, 2}, {1, 3}, {2, 3}};

/* Whether a conditional branch is mispredicted. `changed` receives whether the predictor's state
 * has changed; for the fixed prediction it receives the result. */
static always_inline unsigned mispredicts_direction(struct core* c, const struct segment* s,
                                                    uint64_t to, unsigned* changed) {
  const unsigned taken = (unsigned)(to == s->exit) ^ s->inverted;
  const uint64_t history = (c->history << 1 | taken) & c->history_mask;
  uint8_t* counter;
  unsigned state, next;
  if (!c->counters)
    return c->tage.base ? tage_mispredicts_any(&c->tage, s->branch, taken, changed)
                        : (*changed = s->backward ^ taken);
  counter = &c->counters[(s->branch ^ c->history) & c->counters_mask];
  state = *counter;
  next = next_state[state][taken];
  *changed = state != next || history != c->history;
  *counter = (uint8_t)next;
  c->history = history;
  return state >> 1 ^ taken;
}

static out_of_line int mispredicts_unconditional(struct core* c, const struct segment* s,
                                                 uint64_t to) {
  switch (s->leave) {
    case LEAVE_INDIRECT:
      return mispredicts_target(c, s, to);
    case LEAVE_RETURN:
      return mispredicts_return(c, to);
    case LEAVE_CALL:
      remember_return(c, s->back);
      return 0;
    case LEAVE_INDIRECT_CALL:
      remember_return(c, s->back);
      return mispredicts_target(c, s, to);
    default:
      return 0;
  }
}

static out_of_line void mispredicted(struct core* c) {
  ++c->counts[BRANCH_MISSES];
  if (!c->model.in_order) wait_for_branch(c);
  wait(c, c->model.branch.mispredict);
}

#endif
