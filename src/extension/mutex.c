/*
 * Mutexes. Acquire and release alternate in the tree of the mutex; a failed trylock reads an
 * acquire.
 *
 * Conflicting extensions (Section 4 and appendix F.2 of the extended symbolic paper, with the case
 * that it forgets: no event of the mutex before): an operation of a thread could have happened at
 * each earlier point of the mutex's chain that the history of the thread's previous event does not
 * go beyond. At a release or at ⊥ it acquires, at an acquire a trylock fails. A release follows
 * every failed trylock of its acquire in its causes; it has one more conflicting extension for each
 * smaller set of them that is closed under causes and holds those in the thread's own history.
 *
 * Since what an event could have been depends on its own history alone, that is computed once for
 * each event, not once for each configuration.
 */
#include "base/null.h"
#include "configuration/configuration.h"
#include "extension/mutex.h"
#include "structure/action.h"
#include "structure/cut.h"
#include "structure/effect.h"
#include "structure/event.h"
#include "structure/layer.h"
#include "structure/names.h"

static uint32_t mutex_site(const unf_unfolding *u, uint32_t mutex) {
  return u->objects.data[mutex].site;
}

/* To wake up takes the mutex that beginning to wait released. */
static bool is_acquire(const unf_unfolding *u, uint32_t write) {
  if (write == 0) return false;
  uint32_t kind = action_of(u, write)->kind;
  return kind == UNF_DID_ACQUIRE || kind == UNF_DID_WAKE;
}

static inline uint32_t owner_of(const unf_unfolding *u, struct cut cut, uint32_t mutex) {
  uint32_t write = entry_write(u, cut_at(cut, mutex_site(u, mutex)));
  return is_acquire(u, write) ? action_of(u, write)->thread : NONE;
}

uint32_t unfi_mutex_owner(const unf_unfolding *u, struct cut cut, uint32_t mutex) {
  return owner_of(u, cut, mutex);
}

/* The write of the mutex before a write. */
static uint32_t write_before(const unf_unfolding *u, uint32_t write, uint32_t site) {
  return entry_write(u, unfi_entry_before(u, write, site));
}

static unf_status outcomes(unf_unfolding *u, struct cut cut, uint32_t thread,
                           const unf_operation *operation, outcome_visitor visit, void *user) {
  uint32_t write = entry_write(u, cut_at(cut, mutex_site(u, operation->target)));
  bool held = is_acquire(u, write);
  unf_action action = {UNF_DID_ACQUIRE, thread, operation->target, 0, 0};
  if (operation->kind == UNF_UNLOCK) {
    if (!held || action_of(u, write)->thread != thread) return UNF_OK;
    action.kind = UNF_DID_RELEASE;
  } else if (held) {
    if (operation->kind == UNF_LOCK) return UNF_OK;
    action.kind = UNF_DID_TRYFAIL;
  }
  visit(user, &action);
  return UNF_OK;
}

static unf_status possible(unf_unfolding *u, struct cut cut, const unf_action *action) {
  uint32_t owner = owner_of(u, cut, action->target);
  bool possible = action->kind == UNF_DID_ACQUIRE   ? owner == NONE
                  : action->kind == UNF_DID_TRYFAIL ? owner != NONE
                                                    : owner == action->thread;
  return possible ? UNF_OK : UNF_DISABLED;
}

static unf_status action_id(unf_unfolding *u, unf_action_kind kind, uint32_t thread, uint32_t mutex,
                            uint32_t *out) {
  unf_action action = {kind, thread, mutex, 0, 0};
  return unfi_action_intern(u, &action, out);
}

/* Lock and trylock at every point from the last write in [before] up to, not including, `end`. */
static unf_status earlier_points(unf_unfolding *u, uint32_t thread, uint32_t before,
                                 const unf_operation *operation, uint32_t end, causes_visitor visit,
                                 void *user) {
  uint32_t site = mutex_site(u, operation->target);
  uint32_t first = before == 0 ? 0 : entry_write(u, cut_entry(u, before, site));
  if (end == first) return UNF_OK;
  struct causes acquire = {.before = before}, fail = {.before = before};
  bool tries = operation->kind == UNF_TRYLOCK;
  unf_status status = action_id(u, UNF_DID_ACQUIRE, thread, operation->target, &acquire.action);
  if (status == UNF_OK && tries)
    status = action_id(u, UNF_DID_TRYFAIL, thread, operation->target, &fail.action);
  if (status != UNF_OK) return status;
  for (uint32_t write = end; write != first;) {
    write = write_before(u, write, site);
    bool held = is_acquire(u, write);
    if (held && !tries) continue;
    struct causes *causes = held ? &fail : &acquire;
    causes->follows = write;
    if (!visit(user, causes)) break;
  }
  return UNF_OK;
}

/* One enumeration of the smaller sets of failed trylocks: each read of the full set with the reads
 * of its own thread before it. */
struct subsets {
  unf_unfolding *u;
  struct causes causes;
  uint32_t mutex, acquire, full; /* the acquire, and the layer of failed trylocks over it */
  handle_vector chosen;          /* the last read taken of each thread so far */
  causes_visitor visit;
  void *user;
  bool refused, more;
};

static bool same_thread(const unf_unfolding *u, uint32_t a, uint32_t b) {
  return action_of(u, a)->site == action_of(u, b)->site;
}

/* Whether every read of other threads that is a cause of a chosen one is chosen too: a read set
   names the last read of each thread, also where one of them is a cause of another. */
static bool closed(const struct subsets *s) {
  const unf_unfolding *u = s->u;
  uint32_t site = mutex_site(u, s->mutex);
  for (uint32_t i = 0; i <= s->chosen.count; i++) {
    uint32_t of = i < s->chosen.count ? s->chosen.data[i] : s->causes.before;
    uint32_t entry = cut_entry(u, of, site);
    if (!(entry & ROW_TAG) || entry_write(u, entry) != s->acquire) continue;
    const struct layer *reads = layer_at(u, entry);
    for (uint32_t j = 0; j < layer_count(reads); j++) {
      bool inside = false;
      for (uint32_t k = 0; !inside && k < s->chosen.count; k++)
        inside = same_thread(u, reads->members[j], s->chosen.data[k]) &&
                 reads->members[j] <= s->chosen.data[k];
      if (!inside) return false;
    }
  }
  return true;
}

static void give(struct subsets *s) {
  if (!closed(s)) return;
  s->refused = !unfi_layer_intern(s->u, s->acquire, ACCESS_READ, s->chosen.data, s->chosen.count,
                                  &s->causes.follows);
  if (s->refused || s->causes.follows == s->full) return;
  s->more = s->visit(s->user, &s->causes);
}

/* Chooses for the threads from `index` on; depth is the number of threads with reads. */
static void choose(struct subsets *s, uint32_t index) {
  const unf_unfolding *u = s->u;
  const struct layer *reads = layer_at(u, s->full);
  if (!s->more || s->refused) return;
  if (index == layer_count(reads)) {
    give(s);
    return;
  }
  choose(s, index + 1);
  uint32_t site = action_of(u, reads->members[index])->site;
  for (uint32_t r = reads->members[index]; s->more && !s->refused && r > s->acquire;
       r = event_at(u, r)->before) {
    const struct action *a = action_of(u, r);
    if (a->site != site) break;
    if (a->kind != UNF_DID_TRYFAIL || a->target != s->mutex) continue;
    vector_push(&s->chosen, r);
    choose(s, index + 1);
    s->chosen.count--;
  }
}

static unf_status fewer_reads(unf_unfolding *u, uint32_t thread, uint32_t before,
                              const unf_operation *operation, uint32_t full, causes_visitor visit,
                              void *user) {
  struct subsets s = {.u = u,
                      .causes = {.before = before},
                      .mutex = operation->target,
                      .acquire = entry_write(u, full),
                      .full = full,
                      .visit = visit,
                      .user = user,
                      .more = true};
  unf_status status = action_id(u, UNF_DID_RELEASE, thread, operation->target, &s.causes.action);
  if (status != UNF_OK) return status;
  if (!vector_reserve(u->context, &s.chosen, layer_count(layer_at(u, full))))
    return unfi_refused(u->context);
  choose(&s, 0);
  vector_free(u->context, &s.chosen);
  return s.refused ? unfi_refused(u->context) : UNF_OK;
}

static unf_status conflicting(unf_unfolding *u, struct cut cut, uint32_t thread, uint32_t before,
                              const unf_operation *operation, uint32_t event, causes_visitor visit,
                              void *user) {
  uint32_t entry =
      event != NONE ? event_at(u, event)->follows : cut_at(cut, mutex_site(u, operation->target));
  uint32_t write = entry_write(u, entry);
  if (operation->kind != UNF_UNLOCK)
    return earlier_points(u, thread, before, operation, write, visit, user);
  bool owned = event != NONE || unfi_mutex_owner(u, cut, operation->target) == thread;
  if (!owned || !(entry & ROW_TAG)) return UNF_OK;
  return fewer_reads(u, thread, before, operation, entry, visit, user);
}

/* The acquire that keeps a lock out. */
static uint32_t blockers(const unf_unfolding *u, struct cut cut, uint32_t thread,
                         const unf_operation *operation, uint32_t *out) {
  (void)thread;
  out[0] = entry_write(u, cut_at(cut, mutex_site(u, operation->target)));
  return operation->kind == UNF_LOCK && is_acquire(u, out[0]);
}

uint32_t unfi_mutex_last(const unf_unfolding *u, struct cut cut, uint32_t mutex) {
  uint32_t write = entry_write(u, cut_at(cut, mutex_site(u, mutex)));
  return write != 0 ? action_of(u, write)->thread : NONE;
}

static uint32_t awaited(const unf_unfolding *u, struct cut cut, const unf_operation *operation) {
  return operation->kind == UNF_LOCK ? unfi_mutex_last(u, cut, operation->target) : NONE;
}

unf_status unf_configuration_owner(const unf_configuration *c, unf_object mutex, unf_thread *out) {
  RETURN_IF_NULL(c->u->context, c, out);
  const unf_unfolding *u = c->u;
  if (mutex >= u->objects.count) return unfi_fail(u->context, UNF_UNKNOWN, "object");
  if (u->objects.data[mutex].object_class != UNF_MUTEX)
    return unfi_fail(u->context, UNF_INVALID, "not a mutex");
  uint32_t owner = unfi_mutex_owner(u, configuration_cut(c), mutex);
  *out = owner != NONE ? owner : UNF_THREAD_NONE;
  return UNF_OK;
}

static const struct action_row actions[] = {
    {.kind = UNF_DID_ACQUIRE, .access = ACCESS_WRITE},
    {.kind = UNF_DID_RELEASE, .access = ACCESS_WRITE, .sole = true},
    {.kind = UNF_DID_TRYFAIL, .access = ACCESS_READ},
};

static const struct operation_row operations[] = {
    {.kind = UNF_LOCK, .contended = CONTENDED_TARGET, .nested = true},
    {.kind = UNF_TRYLOCK, .contended = CONTENDED_TARGET, .tries = true, .nested = true},
    {.kind = UNF_UNLOCK, .contended = CONTENDED_IF_TRIED},
};

const struct effect_family unfi_mutex_family = {
    .actions = ROWS(actions),
    .operations = ROWS(operations),
    .only_target = true,
    .outcomes = outcomes,
    .possible = possible,
    .conflicting = conflicting,
    .blockers = blockers,
    .awaited = awaited,
};
