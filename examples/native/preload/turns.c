/* Loops that look at several objects until one of them changes: workers that look for work, locks
 * under which something is looked at. What a turn writes is there again after the next one, else it
 * is no turn of these. Where two turns in a row accessed the same objects at the same places, with
 * the same values, the third one does, too, as long as no other thread changes one of them, if
 *
 * - the thread is where it was one turn ago by all that it knows itself (local.c), and has written
 *   nothing else since then that others may look at. This is enough where it sleeps in each turn,
 *   or where all accesses are seen;
 * - or it says that it waits, by `pause` or sched_yield(). It may count its turns then, or choose
 *   at random where to look, so that it is never the same. Where it writes to what others may look
 *   at, as to a lock, sched_yield() alone will do: nobody holds a lock that others spin for while
 *   he does that;
 * - or it was so for a thousand turns, and it sleeps in each of them, or knows the same each time.
 *
 * The thread could as well have come later: it ends there, and the executions in which it comes
 * later are explored. It may also have given up, or what others do meanwhile takes more turns, as
 * it may where they change what is no atomic object, and the thread does not keep it: what needs
 * these is missing, and the summary says so. */
#include "turns.h"

#include <stddef.h>

#include "arena.h"
#include "local.h"
#include "patch.h"
#include "scheduler.h"
#include "waits_quiet.h"
#include "words.h"

enum { TURN_MOST = 32, DONE_MOST = 2 * TURN_MOST, TURNS_MOST = 1000 };

struct done {
  uint64_t place, address, value;
  uint64_t state;       /* of the thread, in front of it; 0: not known */
  bool pauses, changes; /* in a loop with a `pause`; what others may look at */
  bool wrote;           /* since the access before it, to what is no atomic object */
};

struct turns {
  uint64_t operations;           /* of the thread, when the last access was */
  uint64_t count;                /* accesses in a row, of which the last ones are kept */
  uint64_t coming;               /* the state in front of the next one */
  bool yielded, slept;           /* since then */
  uint64_t again[TURN_MOST + 1]; /* the last so many were as those of a turn of that length ago */
  struct done done[DONE_MOST];
};

static struct turns *turns_of(struct thread *t) {
  if (t->turns == NULL) t->turns = private_memory(sizeof *t->turns);
  return t->turns;
}

static const struct done *ago(const struct turns *s, uint64_t number) {
  return &s->done[(s->count - number) % DONE_MOST];
}

static bool is_same(const struct done *a, const struct done *b) {
  return a->place == b->place && a->address == b->address && a->value == b->value;
}

/* What the accesses of a turn have in common. */
struct turn {
  bool pauses, changes, wrote;
};

static struct turn last_turn(const struct turns *s, const struct patched *p, unsigned length) {
  struct turn turn = {.pauses = p->site.in_pausing, .wrote = thread_self()->wrote};
  for (unsigned number = 1; number <= length; number++) {
    const struct done *last = ago(s, number);
    turn.pauses |= last->pauses;
    turn.changes |= last->changes;
    turn.wrote |= last->wrote && number < length; /* else it belongs to the turn before */
  }
  return turn;
}

/* One object that is read again and again is waited for (waits.c). */
bool turns_again(const struct patched *p, const struct patch_frame *frame, uint64_t address) {
  const struct thread *t = thread_self();
  struct turns *s = t->turns;
  if (s == NULL || s->operations != t->operations) return false;
  s->coming = s->slept ? local_state(t, p, frame, true) : 0;
  for (unsigned length = 2; length <= TURN_MOST; length++) {
    const struct done *first = ago(s, length);
    if (s->again[length] < length || first->place != p->address || first->address != address)
      continue;
    const struct turn turn = last_turn(s, p, length);
    const bool often = s->again[length] >= (uint64_t)length * TURNS_MOST;
    if (s->yielded || (turn.pauses && !turn.changes) || (often && s->slept)) return true;
    if (turn.wrote || !(s->slept || often || words_watched())) continue;
    if (s->coming == 0) s->coming = local_state(t, p, frame, false);
    if (s->coming != 0 && s->coming == first->state) return true;
  }
  return false;
}

void turns_did(const struct patched *p, uint64_t address, uint64_t value, bool changed) {
  struct thread *t = thread_self();
  struct turns *s = turns_of(t);
  const bool own = address >= t->stack_low && address < t->stack_high;
  const struct done done = {.place = p->address,
                            .address = address,
                            .value = value,
                            .state = s->coming,
                            .pauses = p->site.in_pausing,
                            .changes = changed && !own,
                            .wrote = t->wrote};
  /* This access is the last operation. */
  if (s->operations + 1 != t->operations) s->count = 0;
  for (unsigned length = 1; length <= TURN_MOST; length++)
    s->again[length] =
        s->count >= length && is_same(&done, ago(s, length)) ? s->again[length] + 1 : 0;
  s->done[s->count++ % DONE_MOST] = done;
  s->operations = t->operations;
  s->coming = 0;
  s->yielded = s->slept = t->wrote = false;
}

void turns_wrote(uint64_t address, uint64_t size) {
  struct thread *t = thread_self();
  t->wrote |= !waits_remember(t, address, size);
}

void turns_yielded(void) {
  const struct thread *t = thread_self();
  if (t->turns != NULL) t->turns->yielded = true;
}

void turns_slept(void) {
  const struct thread *t = thread_self();
  if (t->turns != NULL) t->turns->slept = true;
}

bool turns_behind_yield(void) {
  const struct thread *t = thread_self();
  return t->turns != NULL && t->turns->yielded;
}
