/* Loops that look at several objects until one of them changes, and say so by `pause` or
 * sched_yield(): workers that look for work, locks under which something is looked at. They count
 * their turns, or choose at random where to look, so that their states are never the same; but
 * where two turns in a row accessed the same objects at the same places, with the same values, the
 * third one would, too, as long as no other thread changes one of them. The thread could as well
 * have come later: it ends there, and the executions in which it comes later are explored. It may
 * also have given up; what needs more turns is missing, and the summary says so.
 *
 * What a turn writes has to be there again after the next one. Where it writes to what others may
 * look at, as to a lock, the thread ends behind a sched_yield() alone: nobody holds a lock that
 * others spin for while he does that. */
#include "turns.h"

#include <stddef.h>

#include "arena.h"
#include "patch.h"
#include "scheduler.h"

enum { DONE_MOST = 64 };

struct done {
  uint64_t place, address, value;
  bool pauses, changes; /* in a loop with a `pause`; what others may look at */
};

struct turns {
  uint64_t operations; /* of the thread, when the last access was */
  uint32_t count;      /* accesses in a row, of which the last ones are kept */
  bool yielded;        /* since then */
  struct done done[DONE_MOST];
};

static struct turns *turns_of(struct thread *t) {
  if (t->turns == NULL) t->turns = private_memory(sizeof *t->turns);
  return t->turns;
}

static const struct done *ago(const struct turns *s, uint32_t number) {
  return &s->done[(s->count - number) % DONE_MOST];
}

static bool is_same(const struct done *a, const struct done *b) {
  return a->place == b->place && a->address == b->address && a->value == b->value;
}

/* Whether the last accesses are two turns of that length. */
static bool are_turns(const struct turns *s, uint32_t length, bool *pauses, bool *changes) {
  for (uint32_t number = 1; number <= length; number++) {
    const struct done *last = ago(s, number);
    if (!is_same(last, ago(s, number + length))) return false;
    *pauses |= last->pauses;
    *changes |= last->changes;
  }
  return true;
}

/* One object that is read again and again is waited for (waits.c). */
bool turns_again(const struct patched *p, uint64_t address) {
  const struct thread *t = thread_self();
  const struct turns *s = t->turns;
  if (s == NULL || s->operations != t->operations) return false;
  for (uint32_t length = 2; length <= DONE_MOST / 2 && 2 * length <= s->count; length++) {
    const struct done *first = ago(s, length);
    bool pauses = p->site.in_pausing, changes = false;
    if (first->place == p->address && first->address == address &&
        are_turns(s, length, &pauses, &changes) && (s->yielded || (pauses && !changes)))
      return true;
  }
  return false;
}

void turns_did(const struct patched *p, uint64_t address, uint64_t value, bool changed) {
  struct thread *t = thread_self();
  struct turns *s = turns_of(t);
  const bool own = address >= t->stack_low && address < t->stack_high;
  /* This access is the last operation. */
  if (s->operations + 1 != t->operations) s->count = 0;
  s->done[s->count++ % DONE_MOST] =
      (struct done){p->address, address, value, p->site.in_pausing, changed && !own};
  s->operations = t->operations;
  s->yielded = false;
}

void turns_yielded(void) {
  const struct thread *t = thread_self();
  if (t->turns != NULL) t->turns->yielded = true;
}

bool turns_behind_yield(void) {
  const struct thread *t = thread_self();
  return t->turns != NULL && t->turns->yielded;
}
