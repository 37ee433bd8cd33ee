/*
 * Reader-writer locks. To take and give back for reading adds to the lock: readers commute. To take
 * and give back for writing writes it. A failed try reads it: such failures commute with each
 * other, not with what could have let them succeed. Nobody has priority: a waiting writer keeps no
 * reader out.
 */
#include "configuration/configuration.h"
#include "extension/adds.h"
#include "structure/action.h"
#include "structure/cut.h"
#include "structure/effect.h"
#include "structure/event.h"
#include "structure/layer.h"
#include "structure/names.h"

static int64_t amount(unf_unfolding *u, uint32_t event) {
  return action_of(u, event)->kind == UNF_DID_RDLOCK ? 1 : -1;
}

/* How often a thread holds a lock for reading. */
static int64_t holds_of(const unf_unfolding *u, uint32_t entry, uint32_t thread) {
  int64_t holds = 0;
  for (uint32_t site = u->threads.data[thread].site; entry & ROW_TAG;) {
    const struct layer *layer = layer_at(u, entry);
    uint32_t last = layer->access == ACCESS_ADD ? unfi_layer_member(u, layer, site) : 0;
    if (last != 0) holds += carried_sum(u, last);
    entry = layer->floor;
  }
  return holds;
}

/* What threads hold for reading, from the events of each newest first. */
struct holding {
  uint32_t thread;    /* site of the one at hand */
  uint32_t given;     /* releases that wait for their acquire */
  uint32_t unmatched; /* the earliest acquire that is still held, or 0 */
  uint32_t *out;      /* these of the threads */
  uint32_t count;
};

static void hold(void *user, uint32_t event, const struct action *a) {
  struct holding *h = user;
  if (h->thread != a->site) {
    h->thread = a->site;
    h->given = h->unmatched = 0;
  }
  if (a->kind == UNF_DID_RDUNLOCK) {
    h->given++;
  } else if (a->kind == UNF_DID_RDLOCK && h->given > 0) {
    h->given--;
  } else if (a->kind == UNF_DID_RDLOCK) {
    h->count += h->unmatched == 0;
    h->unmatched = event;
    h->out[h->count - 1] = event;
  }
}

/* The acquire for writing that holds the lock, or 0. */
static uint32_t writer_of(const unf_unfolding *u, uint32_t entry) {
  uint32_t write = entry_write(u, entry);
  return write != 0 && action_of(u, write)->kind == UNF_DID_WRLOCK ? write : 0;
}

static inline bool enabled(const unf_unfolding *u, struct cut cut, unf_action_kind kind,
                           uint32_t thread, uint32_t lock) {
  uint32_t entry = cut_at(cut, u->objects.data[lock].site), writer = writer_of(u, entry);
  switch (kind) {
  case UNF_DID_RDLOCK:
    return writer == 0;
  case UNF_DID_RDFAIL:
    return writer != 0;
  case UNF_DID_RDUNLOCK:
    return holds_of(u, entry, thread) > 0;
  case UNF_DID_WRUNLOCK:
    return writer != 0 && action_of(u, writer)->thread == thread;
  default: {
    bool held = writer != 0 || entry_sum(u, entry) > 0;
    return held == (kind == UNF_DID_WRFAIL);
  }
  }
}

/* The two actions of each operation; the same twice where there is one. */
static void kinds_of(const unf_operation *operation, unf_action_kind kinds[2]) {
  static const unf_action_kind table[][2] = {{UNF_DID_RDLOCK, UNF_DID_RDLOCK},
                                             {UNF_DID_RDLOCK, UNF_DID_RDFAIL},
                                             {UNF_DID_WRLOCK, UNF_DID_WRLOCK},
                                             {UNF_DID_WRLOCK, UNF_DID_WRFAIL},
                                             {UNF_DID_RDUNLOCK, UNF_DID_WRUNLOCK}};
  kinds[0] = table[operation->kind - UNF_RDLOCK][0];
  kinds[1] = table[operation->kind - UNF_RDLOCK][1];
}

static unf_status outcomes(unf_unfolding *u, struct cut cut, uint32_t thread,
                           const unf_operation *operation, outcome_visitor visit, void *user) {
  unf_action_kind kinds[2];
  kinds_of(operation, kinds);
  for (unsigned i = 0; i < 2; i++) {
    unf_action action = {kinds[i], thread, operation->target, 0, 0};
    if (i > 0 && kinds[0] == kinds[1]) break;
    if (enabled(u, cut, kinds[i], thread, operation->target) && !visit(user, &action)) break;
  }
  return UNF_OK;
}

static unf_status possible(unf_unfolding *u, struct cut cut, const unf_action *action) {
  return enabled(u, cut, action->kind, action->thread, action->target) ? UNF_OK : UNF_DISABLED;
}

static unf_status shapes(unf_unfolding *u, struct cut cut, uint32_t thread,
                         const unf_operation *operation, shape_visitor visit, void *user) {
  unf_action_kind kinds[2];
  (void)u;
  (void)cut;
  kinds_of(operation, kinds);
  for (unsigned i = 0; i < 2; i++) {
    struct shape shape = {.action = {kinds[i], thread, operation->target, 0, 0}};
    if (i > 0 && kinds[0] == kinds[1]) break;
    if (!visit(user, &shape)) break;
  }
  return UNF_OK;
}

static uint32_t blockers(const unf_unfolding *u, struct cut cut, uint32_t thread,
                         const unf_operation *operation, uint32_t *out) {
  (void)thread;
  if (operation->kind == UNF_RWUNLOCK) return 0;
  uint32_t entry = cut_at(cut, u->objects.data[operation->target].site);
  struct holding holding = {.thread = NONE, .out = out};
  out[0] = writer_of(u, entry);
  if (out[0] != 0) return 1;
  unfi_adds(u, entry, hold, &holding);
  return holding.count;
}

static const struct action_row actions[] = {
    {.kind = UNF_DID_RDLOCK, .access = ACCESS_ADD},
    {.kind = UNF_DID_RDUNLOCK, .access = ACCESS_ADD},
    {.kind = UNF_DID_RDFAIL, .access = ACCESS_READ},
    {.kind = UNF_DID_WRLOCK, .access = ACCESS_WRITE},
    {.kind = UNF_DID_WRUNLOCK, .access = ACCESS_WRITE},
    {.kind = UNF_DID_WRFAIL, .access = ACCESS_READ},
};

static const struct operation_row operations[] = {
    {.kind = UNF_RDLOCK, .contended = CONTENDED_TARGET},
    {.kind = UNF_TRYRDLOCK, .contended = CONTENDED_TARGET, .tries = true},
    {.kind = UNF_WRLOCK, .contended = CONTENDED_TARGET},
    {.kind = UNF_TRYWRLOCK, .contended = CONTENDED_TARGET, .tries = true},
    {.kind = UNF_RWUNLOCK, .contended = CONTENDED_IF_TRIED},
};

const struct effect_family unfi_rwlock_family = {
    .actions = ROWS(actions),
    .operations = ROWS(operations),
    .only_target = true,
    .outcomes = outcomes,
    .possible = possible,
    .shapes = shapes,
    .blockers = blockers,
    .amount = amount,
};
