/* Plain accesses. One to an atomic object is an operation: a load, a store, or both, for other
 * threads may come between them. Any other is reported to the detector of races, which finds out
 * what has to be an atomic object. */
#include "patch_move.h"

#include <string.h>
#include <unfold/unfold.h>

#include "../control.h"
#include "accesses.h"
#include "engine.h"
#include "entry.h"
#include "learn.h"
#include "patch.h"
#include "patch_filter.h"
#include "patch_hit.h"
#include "patch_operate.h"
#include "refuse.h"
#include "scheduler.h"
#include "turns.h"
#include "waits.h"
#include "waits_quiet.h"
#include "words.h"

enum {
  RDI = 7,
  RSI = 6,
  RCX = 1,
  BACKWARDS = 1 << 10,
  VECTORS_AT = 160, /* in the saved state, and so many bytes for each */
  VECTOR_SIZE = 16,
  WORD = 8,
  SEQUENTIALLY_CONSISTENT = 5
};

static bool is_word(const struct byte_span *m) {
  return m->size <= WORD && (m->size & (m->size - 1)) == 0 && m->address % m->size == 0;
}

static struct access access_of(const struct byte_span *m, unf_operation_kind kind, uint64_t low) {
  return (struct access){.name = "a plain access",
                         .bits = 8 * (unsigned)m->size,
                         .kind = kind,
                         .address = (const volatile void *)(uintptr_t)m->address,
                         .low = low,
                         .order = SEQUENTIALLY_CONSISTENT};
}

static void load(const struct patched *p, const struct patch_frame *frame,
                 const struct byte_span *m) {
  struct access access = access_of(m, UNF_LOAD, 0);
  const enum wait wait = waits_again(p, frame, m->address, &access.low);
  if (wait == WAIT_PERHAPS) learn_wait(m->address, false, p->address + 1);
  if (wait != WAIT_NOT) {
    location_await(&access, access.low, wait == WAIT_PERHAPS, p->address + 1);
    waits_written(); /* another value than before */
    return;
  }
  location_operate(&access, p->address + 1);
  const uint64_t value = memory_value(m->address, (unsigned)m->size);
  waits_read(p, frame, value);
  turns_did(p, m->address, value, false);
}

static void store(const struct patched *p, const struct byte_span *m, uint64_t value) {
  const struct access access = access_of(m, UNF_STORE, value);
  waits_written();
  const bool changed = location_operate(&access, p->address + 1);
  turns_did(p, m->address, value << (WORD - m->size) * 8, changed);
}

static uint64_t stored_value(const struct patched *p, const struct patch_frame *frame,
                             const unsigned char *state) {
  const struct site *s = &p->site;
  uint64_t value = 0;
  if ((s->flags & SITE_VECTOR) != 0)
    memcpy(&value, state + VECTORS_AT + VECTOR_SIZE * s->operand, s->size);
  else
    value = patch_access(p, frame).low;
  return value;
}

/* What a calculation makes of the value that was read. */
static uint64_t calculated(const struct patched *p, const struct patch_frame *frame, uint64_t old) {
  const struct access access = patch_access(p, frame);
  switch (access.kind) {
  case UNF_FETCH_AND:
    return old & access.low;
  case UNF_FETCH_OR:
    return old | access.low;
  case UNF_FETCH_XOR:
    return old ^ access.low;
  case UNF_FETCH_ADD:
    return old + access.low;
  default:
    return 0 - old; /* neg */
  }
}

/* Two operations. The instruction itself is performed after the second one, with what was read at
 * the first one; no other thread runs in between. */
static void calculate(const struct patched *p, const struct patch_frame *frame,
                      const struct byte_span *m) {
  load(p, frame, m);
  const uint64_t old = memory_value(m->address, (unsigned)m->size);
  store(p, m, calculated(p, frame, old));
  memcpy((void *)(uintptr_t)m->address, &old, m->size);
}

/* With a result that is not known here: what is written becomes a store in front of the thread's
 * next operation. */
static void write_roughly(const struct patched *p, const struct byte_span *m) {
  waits_written();
  locations_covered(m->address, m->size, p->address + 1);
}

/* Too wide for an operation: it is one at each word. */
static void access_widely(const struct patched *p, const struct byte_span *m, bool read,
                          bool write) {
  if (read) locations_read(m, p->address + 1);
  if (write) write_roughly(p, m);
  if (unfold_watching) accesses_beside(m, write, p->address + 1);
}

static void access_atomic(const struct patched *p, const struct patch_frame *frame,
                          const unsigned char *state, const struct byte_span *m) {
  const struct site *s = &p->site;
  const bool reads = (s->flags & SITE_READS) != 0, writes = (s->flags & SITE_WRITES) != 0;
  (void)*(const volatile char *)(uintptr_t)m->address;
  if (!is_word(m)) {
    access_widely(p, m, reads, writes);
  } else if (!writes) {
    load(p, frame, m);
  } else if (s->kind == SITE_STORE) {
    store(p, m, stored_value(p, frame, state));
  } else if (s->kind != SITE_OTHER) {
    calculate(p, frame, m);
  } else {
    if (reads) load(p, frame, m);
    write_roughly(p, m);
  }
}

/* One that only reads again and again is an operation: it may wait for what never comes. */
static bool is_early(const struct byte_span *m, bool writes) {
  struct thread *me = thread_self();
  if (!locations_early(m)) return false;
  if (writes) waits_written();
  return writes || waits_quiet(me) || waits_began(me);
}

/* One of the bytes is an atomic object, or the thread is not alone with them. */
static void access_shared(const struct patched *p, const struct patch_frame *frame,
                          const unsigned char *state, const struct byte_span *m) {
  const bool writes = (p->site.flags & SITE_WRITES) != 0;
  if (words_atomic(m->address, m->size)) {
    if (!is_early(m, writes)) access_atomic(p, frame, state, m);
    return;
  }
  if (threads->next == NULL) return;
  if (unfold_watching)
    accesses_touched((const void *)(uintptr_t)m->address, m->size, writes, p->address + 1);
  if (writes) {
    waits_wrote(thread_self(), m->address, m->size);
    return;
  }
  if (waits_for_nobody(p, frame, m->address))
    give_up(OUTCOME_AGAIN, "a thread waits for memory that was not known to be atomic");
}

static void access_span(const struct patched *p, const struct patch_frame *frame,
                        const unsigned char *state, const struct byte_span *m) {
  if (words_pages(m->address, m->size)) access_shared(p, frame, state, m);
}

static void access_string(const struct patched *p, const struct patch_frame *frame, bool write) {
  const uint64_t *r = frame->registers;
  const uint64_t count = (p->site.flags & SITE_REPEATED) != 0 ? r[RCX] : 1;
  struct byte_span m = {r[write ? RDI : RSI], count * p->site.size};
  if (count == 0) return;
  if ((frame->flags & BACKWARDS) != 0) m.address -= m.size - p->site.size;
  struct patched part = *p;
  part.site.kind = SITE_OTHER;
  part.site.flags = write ? SITE_MOVE | SITE_WRITES : SITE_MOVE | SITE_READS;
  access_span(&part, frame, NULL, &m);
}

void move_operate(const struct patched *p, const struct patch_frame *frame,
                  const unsigned char *state) {
  if (p->site.kind == SITE_STRING) {
    if ((p->site.flags & SITE_READS) != 0) access_string(p, frame, false);
    if ((p->site.flags & SITE_WRITES) != 0) access_string(p, frame, true);
    return;
  }
  const struct byte_span m = {patch_address(p, frame), p->site.size};
  access_span(p, frame, state, &m);
}
