/* Loops in which a thread waits for another one, by reading what that is to write. In an execution
 * where the other one is not chosen they would go on for ever.
 *
 * A thread that comes to a place in the state in which it was there before (local.c), and has only
 * read since then, does the same again as long as it reads the same. If all it has read is one
 * object, that is a wait for the object to change, which is an operation of the library (an await),
 * with its place in the dependence; what is left out are turns of the loop that have no effect. If
 * it has read several objects, the thread ends there: it could as well have come later to the first
 * of them, and that execution is explored too. A thread that reads one value very often, in
 * different states (it counts its turns), or twice near a `pause` or with a sched_yield() in
 * between, waits for another one as well, but nothing is found where that does not come: it may
 * have given up. What needs more turns is missing, and the summary says so (turns.c has those loops
 * that look at several objects, or write).
 *
 * Memory that is not known to be atomic is not an operation, so that such a loop on it has none. It
 * is noticed when a thread has read a lot without an operation. */
#include "waits.h"

#include <string.h>

#include "../control.h"
#include "arena.h"
#include "crash.h"
#include "entry.h"
#include "local.h"
#include "locations.h"
#include "objects.h"
#include "patch.h"
#include "patch_hit.h"
#include "scheduler.h"
#include "turns.h"
#include "waits_quiet.h"
#include "words.h"

enum { TURNS_MOST = 1000 };

static struct waits *waits_of(struct thread *t) {
  if (t->waits == NULL) t->waits = private_memory(sizeof *t->waits);
  return t->waits;
}

bool waits_began(struct thread *t) {
  if (t->waits != NULL) return false;
  waits_of(t);
  return true;
}

static bool same(const struct visit *a, const struct visit *b) {
  return a->place == b->place && a->address == b->address && a->state == b->state && a->state != 0;
}

/* Whether its place and object were visited before. */
static bool is_known(const struct waits *w) {
  for (uint32_t ago = 1; ago <= w->count && ago < VISITS; ago++) {
    const struct visit *v = &w->visits[(w->count - ago) % VISITS];
    if (v->place == w->coming.place && v->address == w->coming.address) return true;
  }
  return false;
}

/* How many visits ago it was as now, and whether all since then read one value of this object; 0:
 * never. */
static uint32_t turn_length(const struct waits *w, bool *alone) {
  *alone = true;
  for (uint32_t ago = 1; ago <= w->count && ago < VISITS; ago++) {
    const struct visit *v = &w->visits[(w->count - ago) % VISITS];
    *alone = *alone && v->address == w->coming.address &&
             v->value == w->visits[(w->count - 1) % VISITS].value;
    if (same(v, &w->coming)) return ago;
  }
  return 0;
}

/* Whether the last visit was of this place and object, too. */
static bool is_last(const struct waits *w) {
  const struct visit *last = &w->visits[(w->count - 1) % VISITS];
  return last->place == w->coming.place && last->address == w->coming.address;
}

static void count_bounded(uint64_t place) {
  if (control->waits_bounded++ == 0) control->bounded_place = program_place(place);
}

_Noreturn void waits_end(uint64_t place) {
  count_bounded(place);
  schedule_end(UNF_OP_HALT(UNF_HALT_BOUND), place);
}

enum wait waits_again(const struct patched *p, const struct patch_frame *frame, uint64_t address,
                      uint64_t *value) {
  struct thread *t = thread_self();
  struct waits *w = waits_of(t);
  const struct object *o = location_known(address, 8u * p->site.size);
  bool alone;
  if (o != NULL && o->contended) return WAIT_NOT;
  if (w->operations != t->operations) w->count = 0;
  w->coming = (struct visit){p->address, address, 0, 0};
  if (is_known(w)) w->coming.state = local_state(t, p, frame, false);
  const uint32_t ago = turn_length(w, &alone);
  const bool pauses = (p->site.flags & SITE_PAUSES) != 0 || turns_behind_yield();
  const bool often = w->count > 0 && w->turns >= (pauses ? 1 : TURNS_MOST) && is_last(w);
  const bool turns = ago == 0 && !often && turns_again(p, frame, address);
  if ((ago > 0 && !alone) || turns) waits_end(p->address + 1);
  if (ago == 0 && !often) return WAIT_NOT;
  *value = w->visits[(w->count - 1) % VISITS].value;
  w->count = 0;
  if (ago == 0) {
    count_bounded(p->address + 1);
    return WAIT_PERHAPS;
  }
  if (control->waits++ == 0) control->wait_place = program_place(p->address + 1);
  return WAIT_FOR;
}

/* What is the first visit, and may have others after it, is looked at only now: most of those that
 * may change something do. */
void waits_read(const struct patched *p, const struct patch_frame *frame, uint64_t value) {
  struct thread *t = thread_self();
  struct waits *w = waits_of(t);
  const bool again =
      w->count > 0 && is_last(w) && w->visits[(w->count - 1) % VISITS].value == value;
  if (!is_known(w)) w->coming.state = local_state(t, p, frame, false);
  w->turns = again ? w->turns + 1 : 0;
  w->coming.value = value;
  w->visits[w->count++ % VISITS] = w->coming;
  w->operations = t->operations;
}

bool waits_for_nobody(const struct patched *p, const struct patch_frame *frame, uint64_t address) {
  struct thread *t = thread_self();
  struct waits *w = waits_of(t);
  if (waits_quiet(t)) return false;
  const uint64_t part = w->quiet++ % QUIET_MOST;
  w->reads[part] = (struct visit){p->address, address, local_state(t, p, frame, false), 0};
  const bool pauses = (p->site.flags & SITE_PAUSES) != 0; /* it may count its turns */
  for (uint64_t i = part; i-- > 0;) {
    const struct visit *before = &w->reads[i];
    const bool again = before->place == p->address && before->address == address;
    if (!same(before, &w->reads[part]) && !(pauses && again)) continue;
    for (; i < part; i++)
      words_learn(w->reads[i].address, 1);
    return true;
  }
  return false;
}
