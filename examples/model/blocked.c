/*
 * What a thread stands at, what it holds, and why it cannot go on.
 */
#include "blocked.h"

#include <inttypes.h>
#include <string.h>

#include "atomics.h"
#include "channels.h"
#include "futexes.h"
#include "objects.h"
#include "operation.h"

void describe_name(const struct session *s, enum symbol_kind kind, uint32_t element,
                   char buffer[NAME_SIZE]) {
  program_name(&s->program, kind, element, buffer, NAME_SIZE);
}

void describe_place(const struct session *s, struct place place, char *buffer, size_t size) {
  const size_t numbers = sizeof ":4294967295:4294967295", length = strlen(s->shown);
  const char *file = s->shown;
  bool cut = length + numbers > size;
  if (cut) file += length + numbers + strlen("…") - size;
  while ((*file & 0xC0) == 0x80) /* inside of a character */
    file++;
  snprintf(buffer, size, "%s%s:%u:%u", cut ? "…" : "", file, place.line, place.column);
}

/* An operation on an atomic, with its operands. */
static void describe_access(const struct intent *in, const char *name, char *buffer, size_t size) {
  const char *word = opcode_name(in->opcode), *relation = relation_text(in->relation);
  switch (in->opcode) {
  case DO_LOAD:
    snprintf(buffer, size, "%s(%s)", word, name);
    break;
  case DO_CAS:
    snprintf(buffer, size, "%s(%s, %" PRId64 ", %" PRId64 ")", word, name, in->value, in->desired);
    break;
  case DO_AWAIT:
    snprintf(buffer, size, "%s(%s %s %" PRId64 ")", word, name, relation, in->value);
    break;
  case DO_EXCHANGE_AWAIT:
    snprintf(buffer, size, "%s(%s %s %" PRId64 ", %" PRId64 ")", word, name, relation, in->value,
             in->desired);
    break;
  default:
    snprintf(buffer, size, "%s(%s, %" PRId64 ")", word, name, in->value);
  }
}

void describe_intent(const struct session *s, const struct intent *in, char *buffer, size_t size) {
  char name[NAME_SIZE], mutex[NAME_SIZE];
  const char *word = opcode_name(in->opcode);
  enum symbol_kind kind = opcode_kind(in->opcode);
  if (kind != SYMBOL_KINDS) describe_name(s, kind, in->element, name);
  if (in->opcode == DO_CHOOSE) {
    snprintf(buffer, size, "%s(%" PRId64 ", %" PRId64 ")", word, in->low, in->high);
  } else if (in->opcode == DO_WAIT || in->opcode == DO_TIMEDWAIT) {
    describe_name(s, SYMBOL_MUTEX, in->mutex, mutex);
    snprintf(buffer, size, "%s(%s, %s)", word, name, mutex);
  } else if (in->opcode == DO_SEND || in->opcode == DO_TRYSEND) {
    snprintf(buffer, size, "%s(%s, %" PRId64 ")", word, name, in->value);
  } else if (kind == SYMBOL_ATOMIC) {
    describe_access(in, name, buffer, size);
  } else if (kind != SYMBOL_KINDS) {
    snprintf(buffer, size, "%s(%s)", word, name);
  } else {
    snprintf(buffer, size, "%s", word);
  }
}

/* The lock that a blocked operation needs; SYMBOL_KINDS: none. */
static enum symbol_kind needed_lock(const struct intent *in, uint32_t *element) {
  bool notified = in->phase == PHASE_NOTIFIED && !futexes_waits(in->opcode);
  bool returns = notified || in->phase == PHASE_TIMED_OUT;
  *element = returns ? in->mutex : in->element;
  if (returns || in->opcode == DO_LOCK) return SYMBOL_MUTEX;
  return in->opcode == DO_RDLOCK || in->opcode == DO_WRLOCK ? SYMBOL_RWLOCK : SYMBOL_KINDS;
}

/* A thread that holds a lock, for writing or reading, rather another one than `thread`. */
static bool find_owner(const struct session *s, const int64_t *state, enum symbol_kind kind,
                       uint32_t element, uint32_t thread, uint32_t *owner) {
  struct place place;
  if (machine_holder(&s->machine, state, kind, element, owner, &place)) return true;
  if (kind != SYMBOL_RWLOCK) return false;
  uint32_t count = s->program.count[SYMBOL_THREAD], t = 0;
  while (t < count && (t == thread || !machine_reads(&s->machine, state, element, t, &place)))
    t++;
  *owner = t < count ? t : thread;
  return *owner < count && machine_reads(&s->machine, state, element, *owner, &place);
}

static void describe_lock(const struct session *s, const int64_t *state, uint32_t thread,
                          const struct intent *in, json_t *entry) {
  char name[NAME_SIZE], owner[NAME_SIZE], note[TEXT_SIZE] = "";
  uint32_t element, holder = 0;
  enum symbol_kind kind = needed_lock(in, &element);
  bool held = find_owner(s, state, kind, element, thread, &holder);
  int64_t readers = kind == SYMBOL_RWLOCK ? machine_readers(&s->machine, state, element) : 0;
  describe_name(s, kind, element, name);
  if (held) describe_name(s, SYMBOL_THREAD, holder, owner);
  cli_thread_waits(entry, name, held ? owner : NULL);
  if (held && holder == thread)
    snprintf(note, sizeof note, "it holds this %s itself", kind == SYMBOL_MUTEX ? "mutex" : "lock");
  else if (readers > 1)
    snprintf(note, sizeof note, "%" PRId64 " holds for reading", readers);
  else if (in->phase == PHASE_NOTIFIED)
    snprintf(note, sizeof note, "it was notified");
  else if (in->phase == PHASE_TIMED_OUT)
    snprintf(note, sizeof note, "its time was up");
  if (note[0] != '\0') cli_thread_note(entry, note);
}

static void describe_join(const struct session *s, const int64_t *state, uint32_t thread,
                          const struct intent *in, json_t *entry) {
  struct intent other;
  if (!machine_started(&s->machine, state, in->element))
    cli_thread_note(entry, "that thread was never started");
  else if (in->element == thread)
    cli_thread_note(entry, "a thread cannot wait for its own end");
  else if (machine_remains(&s->machine, state, in->element, &other) && other.stopped != STOP_NONE)
    cli_thread_note(entry, "that thread was stopped");
}

static void describe_notification(const struct session *s, const int64_t *state,
                                  const struct intent *in, json_t *entry) {
  char note[TEXT_SIZE] = "no notification is to come", place[TEXT_SIZE - 100];
  struct place lost;
  if (machine_lost(&s->machine, state, in->element, &lost)) {
    describe_place(s, lost, place, sizeof place);
    snprintf(note, sizeof note, "no notification is to come; the one at %s found nobody waiting",
             place);
  }
  cli_thread_note(entry, note);
}

static void describe_undefined(const struct session *s, const int64_t *state,
                               const struct intent *in, json_t *entry) {
  bool mutex = in->opcode != DO_RWUNLOCK;
  uint32_t holder, element = in->opcode == DO_UNLOCK || !mutex ? in->element : in->mutex;
  char note[TEXT_SIZE];
  if (in->opcode == DO_SPAWN) {
    cli_thread_note(entry, "undefined behaviour: that thread was started before");
    return;
  }
  bool held =
      find_owner(s, state, mutex ? SYMBOL_MUTEX : SYMBOL_RWLOCK, element, UINT32_MAX, &holder);
  snprintf(note, sizeof note, "undefined behaviour: %s thread holds the %s",
           held ? "another" : "no", mutex ? "mutex" : "lock");
  cli_thread_note(entry, note);
}

static void describe_channel(const struct session *s, const int64_t *state, const struct intent *in,
                             json_t *entry) {
  char name[NAME_SIZE], wanted[NAME_SIZE + 20], note[TEXT_SIZE];
  struct channel_state c;
  const bool sends = in->opcode == DO_SEND;
  channels_see(&s->machine, state, in->element, &c);
  describe_name(s, SYMBOL_CHANNEL, in->element, name);
  snprintf(wanted, sizeof wanted, "%s in %s", sends ? "room" : "a message", name);
  cli_thread_waits(entry, wanted, NULL);
  if (sends)
    snprintf(note, sizeof note, "it has %" PRId64 " of %" PRId64 " messages", c.sent - c.received,
             c.places);
  else
    snprintf(note, sizeof note, "it is empty, and not closed");
  cli_thread_note(entry, note);
}

static void describe_wait(const struct session *s, const int64_t *state, uint32_t thread,
                          const struct intent *in, json_t *entry) {
  char name[NAME_SIZE], note[TEXT_SIZE];
  uint32_t element;
  int64_t arrived;
  if (machine_undefined(&s->machine, state, thread)) {
    describe_undefined(s, state, in, entry);
    return;
  }
  if (needed_lock(in, &element) != SYMBOL_KINDS) {
    describe_lock(s, state, thread, in, entry);
    return;
  }
  if (opcode_on_channel(in->opcode)) {
    describe_channel(s, state, in, entry);
    return;
  }
  describe_name(s, opcode_kind(in->opcode), in->element, name);
  cli_thread_waits(entry, name, NULL);
  if (in->opcode == DO_JOIN) {
    describe_join(s, state, thread, in, entry);
  } else if (futexes_waits(in->opcode)) {
    snprintf(note, sizeof note, "no wake is to come; the value is %" PRId64,
             machine_atomic(&s->machine, state, in->element));
    cli_thread_note(entry, note);
  } else if (opcode_on_atomic(in->opcode)) {
    snprintf(note, sizeof note, "its value is %" PRId64,
             machine_atomic(&s->machine, state, in->element));
    cli_thread_note(entry, note);
  } else if (in->opcode == DO_SEM_WAIT) {
    cli_thread_note(entry, "the semaphore is at 0");
  } else if (in->opcode == DO_ARRIVE) {
    machine_barrier(&s->machine, state, in->element, &arrived);
    snprintf(note, sizeof note, "%" PRId64 " of %" PRId64 " threads have arrived", arrived,
             program_symbol(&s->program, SYMBOL_BARRIER, in->element)->initial);
    cli_thread_note(entry, note);
  } else {
    describe_notification(s, state, in, entry);
  }
}

static void describe_hold(const struct session *s, enum symbol_kind kind, uint32_t element,
                          const char *how, struct place since, json_t *entry) {
  char name[NAME_SIZE], object[NAME_SIZE + 20], place[TEXT_SIZE];
  describe_name(s, kind, element, name);
  snprintf(object, sizeof object, "%s%s", name, how);
  describe_place(s, since, place, sizeof place);
  cli_thread_holds(entry, object, place);
}

static void describe_holds(const struct session *s, const int64_t *state, uint32_t thread,
                           json_t *entry) {
  static const enum symbol_kind kinds[] = {SYMBOL_MUTEX, SYMBOL_RWLOCK};
  struct place since;
  uint32_t holder;
  for (unsigned k = 0; k < 2; k++)
    for (uint32_t i = 0; i < s->program.count[kinds[k]]; i++) {
      if (machine_holder(&s->machine, state, kinds[k], i, &holder, &since) && holder == thread)
        describe_hold(s, kinds[k], i, "", since, entry);
      if (kinds[k] == SYMBOL_RWLOCK && machine_reads(&s->machine, state, i, thread, &since))
        describe_hold(s, kinds[k], i, " (for reading)", since, entry);
    }
}

json_t *describe_thread(const struct session *s, const int64_t *state, uint32_t thread) {
  static const char *const states[] = {"blocked", "stopped", "stopped",
                                       "failed",  "stopped", "failed"};
  struct intent intent;
  char name[NAME_SIZE], operation[TEXT_SIZE], place[TEXT_SIZE];
  machine_intent(&s->machine, state, thread, &intent);
  describe_name(s, SYMBOL_THREAD, thread, name);
  describe_intent(s, &intent, operation, sizeof operation);
  describe_place(s, intent.place, place, sizeof place);
  const bool stands = intent.stopped != STOP_ERROR; /* at an operation */
  json_t *entry = cli_thread(name, states[intent.stopped], stands ? operation : NULL, place);
  describe_holds(s, state, thread, entry);
  if (intent.stopped == STOP_NONE) describe_wait(s, state, thread, &intent, entry);
  return entry;
}

/* The thread that another one waits for, or UINT32_MAX. */
static uint32_t waits_for(const struct session *s, const int64_t *state, uint32_t thread) {
  struct intent in;
  uint32_t owner, element;
  if (!machine_remains(&s->machine, state, thread, &in) || in.stopped != STOP_NONE)
    return UINT32_MAX;
  if (in.opcode == DO_JOIN) return in.element;
  enum symbol_kind kind = needed_lock(&in, &element);
  return kind != SYMBOL_KINDS && find_owner(s, state, kind, element, thread, &owner) ? owner
                                                                                     : UINT32_MAX;
}

/* Follows each thread as long as it takes to come back to it. */
void describe_cycle(const struct session *s, const int64_t *state, char *buffer, size_t size) {
  uint32_t count = s->program.count[SYMBOL_THREAD];
  buffer[0] = '\0';
  for (uint32_t first = 0; first < count; first++) {
    uint32_t at = first, steps = 0;
    do
      at = waits_for(s, state, at);
    while (at != first && at != UINT32_MAX && ++steps <= count);
    if (at != first) continue;
    steps = 0;
    char name[NAME_SIZE];
    describe_name(s, SYMBOL_THREAD, first, name);
    size_t length = (size_t)snprintf(buffer, size, "%s", name);
    do {
      at = waits_for(s, state, at);
      describe_name(s, SYMBOL_THREAD, at, name);
      length += (size_t)snprintf(buffer + length, size - length, "%s waits for %s",
                                 steps++ > 0 ? ", which" : "", name);
    } while (at != first && length + NAME_SIZE < size);
    return;
  }
}
