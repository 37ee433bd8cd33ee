/* The state of k-partial alternatives, and its place in the table of strategies. */
#include "exploration/strategies/qpor/qpor.h"

#include <string.h>

#include "alternative/comb.h"
#include "exploration/free_step.h"
#include "exploration/image/image.h"
#include "exploration/options.h"
#include "exploration/strategies/qpor/alternative.h"
#include "exploration/strategies/qpor/extensions.h"
#include "exploration/strategies/qpor/followers.h"
#include "exploration/strategies/strategies.h"
#include "extension/adds.h"
#include "extension/reversal.h"
#include "structure/action.h"
#include "structure/event.h"

static void begin(unf_explorer *x, const unf_explorer_options *options) {
  qpor_of(x)->options = options->alternative;
  qpor_of(x)->extended_at_once = EXTENDED_AT_ONCE;
}

static void begin_singleton(unf_explorer *x, const unf_explorer_options *options) {
  begin(x, options);
  qpor_of(x)->options.singleton = true;
  qpor_of(x)->options.k = 1;
}

static void end(unf_explorer *x) {
  unf_context *context = x->u->context;
  struct qpor *q = qpor_of(x);
  unfi_followers_free(context, &q->followers);
  unfi_chains_free(context, &q->chains);
  vector_free(context, &q->extended);
  vector_free(context, &q->nested);
  unfi_comb_free(context, &q->comb);
  unfi_sparse_free(context, &q->J);
  vector_free(context, &q->reversed);
  unfi_attempts_free(context, &q->attempts);
  unfi_site_uses_free(context, &q->uses);
}

static bool fit(unf_explorer *x, uint32_t events) {
  struct qpor *q = qpor_of(x);
  unf_context *context = x->u->context;
  return unfi_followers_fit(x, events) &&
         vector_reserve_zero(context, &q->extended, events / 64 + 1);
}

/* What is known of the first steps of the path goes with the last of them. */
static void pop(unf_explorer *x, uint32_t event) {
  struct qpor *q = qpor_of(x);
  if (x->path.steps.count < q->extended_steps) q->extended_steps = x->path.steps.count;
  if (x->path.steps.count < q->chains.steps) unfi_chains_leave(x, event);
}

/* ---- cutoffs ---- */

static void settled(unf_explorer *x) {
  struct qpor *q = qpor_of(x);
  unfi_followers_release(x, q->cut_off);
  q->cut_off = 0;
}

/* ---- writing down ---- */

/* The bits of all events, eight of them in a number. */
static void write_state(const unf_explorer *x, struct bytes_out *out) {
  const struct qpor *q = qpor_of(x);
  const uint32_t count = x->u->store.count;
  for (uint32_t event = 0; event < count; event += 64) {
    const uint64_t bits = event / 64 < q->extended.capacity ? q->extended.data[event / 64] : 0;
    uint8_t *to = bytes_room(out, 64 / 8 * BYTES_LONGEST);
    for (uint32_t i = 0; i < 64 && event + i < count; i += 8)
      to = bytes_at(to, bits >> i & UINT8_MAX);
    bytes_end(out, to);
  }
}

static void read_state(unf_explorer *x, struct bytes_in *in) {
  struct qpor *q = qpor_of(x);
  if (!unfi_path_reserve(x)) unfi_bytes_note(in, unfi_refused(x->u->context));
  for (uint32_t event = 0; in->status == UNF_OK && event < x->u->store.count; event += 8) {
    uint64_t bits = unfi_bytes_get_below(in, UINT8_MAX + 1, "events that were extended");
    q->extended.data[event / 64] |= bits << event % 64;
  }
}

/* ---- freeing events ---- */

/* The lists of U are whole again. */
static void release_all(unf_explorer *x) {
  for (uint32_t i = 0; i < x->path.steps.count; i++) {
    unfi_followers_release(x, x->path.steps.data[i].attached);
    x->path.steps.data[i].attached = 0;
  }
  for (uint32_t i = 0; i < x->path.D.entries.count; i++) {
    unfi_followers_release(x, x->path.D.entries.data[i].attached);
    x->path.D.entries.data[i].attached = 0;
  }
  for (uint32_t i = 0; i < x->path.D.siblings.count; i++) {
    unfi_followers_release(x, x->path.D.siblings.data[i].attached);
    x->path.D.siblings.data[i].attached = 0;
  }
}

struct members_keeping {
  unf_explorer *x;
  struct compaction *c;
  uint8_t *walked;
};

static void keep_followers(void *user, uint32_t *event) {
  struct members_keeping *k = user;
  unfi_followers_keep(k->x, *event, k->c, k->walked);
}

/* Alternatives look only at followers, so of what conflicts with C ∪ D only that is kept which does
 * so immediately, and its causes, which stay in U as well: a candidate stands for all that has it
 * in its history. */
static bool keep(unf_explorer *x, struct compaction *c) {
  unf_context *context = x->u->context;
  size_t size = (size_t)x->u->store.count + qpor_of(x)->followers.items.count;
  struct members_keeping k = {x, c, unfi_reallocate(context, NULL, 0, size)};
  if (k.walked == NULL) return false;
  memset(k.walked, 0, size);
  release_all(x);
  unfi_each_member(x, keep_followers, &k);
  unfi_reallocate(context, k.walked, size, 0);
  return true;
}

struct inheriting {
  const struct qpor *from;
  struct qpor *to;
  const struct compaction *c;
};

static void inherit_extended(void *user, uint32_t *event) {
  struct inheriting *in = user;
  if (is_extended(in->from, *event)) set_extended(in->to, in->c->now.data[*event]);
}

/* What an event could have been stays known as long as the event is in C ∪ D, since it conflicts
 * with one of its causes or itself, so it was kept. For an event that was kept for another reason
 * it may be lost, and is computed again in the next run that has the event. */
static void inherit(unf_explorer *x, unf_explorer *y, const struct compaction *c) {
  struct inheriting in = {qpor_of(x), qpor_of(y), c};
  qpor_of(y)->options = qpor_of(x)->options;
  qpor_of(y)->extended_at_once = qpor_of(x)->extended_at_once;
  unfi_each_member(x, inherit_extended, &in);
}

/* ---- the table ---- */

#define QPOR                                                                                       \
  .supports = FEATURE_ORDERS | FEATURE_BOUNDS | FEATURE_CUTOFFS | FEATURE_COLLECT |                \
              FEATURE_PROBES | FEATURE_BLOCKING | FEATURE_TRACES,                                  \
  .state = sizeof(struct qpor), .end = end, .fit = fit, .reserve = unfi_followers_reserve,         \
  .discover = unfi_followers_add, .pop = pop, .release = unfi_followers_release,                   \
  .choose = unfi_free_step, .learn = unfi_extend_all, .another = unfi_alternative,                 \
  .write = write_state, .read = read_state, .settled = settled, .keep = keep, .inherit = inherit,  \
  .keeps_outcomes = true

const struct strategy unfi_qpor = {.name = "qpor", .begin = begin, QPOR};

/* Source sets: the event just left is all that an alternative has to contradict. */
const struct strategy unfi_sdpor = {.name = "sdpor", .begin = begin_singleton, QPOR};
