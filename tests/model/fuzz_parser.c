/*
 * Any text at all to the reader of the model language, and what it accepts to the machine, for some
 * steps of one execution. A text is a program, or something is wrong with it at a place inside of
 * it. What has inputs is also run with unknown ones, and answers to the machine's questions that
 * follow from the text.
 *
 * With libFuzzer (option `fuzz`) this is its target. Otherwise it is a program of its own:
 *
 *   fuzz_parser ROUNDS SEED FILE …
 *
 * takes each file as it is, and then ROUNDS mutations of them, which SEED determines.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/base/random.h"
#include "channels.h"
#include "machine.h"
#include "messages.h"
#include "objects.h"
#include "taint.h"

#define WORDS_MAX 4096u
#define STEPS_MAX 200u

static void broken(const char *what) {
  fprintf(stderr, "fuzz_parser: %s\n", what);
  abort();
}

static bool settle(const struct machine *machine, int64_t *state, uint32_t thread) {
  struct problem problem;
  memset(&problem, 0, sizeof problem);
  if (machine_settle(machine, state, thread, &problem)) return true;
  if (problem.text[0] == '\0') broken("a run-time error without a text");
  return false;
}

static bool fails(const struct machine *machine, const int64_t *state, uint32_t thread) {
  struct problem problem;
  memset(&problem, 0, sizeof problem);
  if (!machine_fails(machine, state, thread, &problem)) return false;
  if (problem.text[0] == '\0') broken("a run-time error without a text");
  return true;
}

/* One of the results that the operation of a thread can have. */
static int64_t result_of(const struct machine *machine, const int64_t *state, uint32_t thread,
                         const struct intent *in) {
  if (in->opcode == DO_CHOOSE) return in->high;
  if (in->opcode == DO_BRANCH)
    return in->branch % machine->symbolic->branches->items[in->branch].count;
  if (in->opcode != DO_SIGNAL) return machine_succeeds(machine, state, thread);
  for (uint32_t t = 0; t < machine->program->count[SYMBOL_THREAD]; t++)
    if (machine_waits(machine, state, SYMBOL_COND, in->element, t)) return t;
  return -1;
}

/* Wakes as many threads as a futex_wake is to wake, the first ones; returns their number. */
static int64_t wake(const struct machine *machine, int64_t *state, const struct intent *in) {
  int64_t count = 0;
  for (uint32_t t = 0; t < machine->program->count[SYMBOL_THREAD]; t++) {
    if (count == in->value || !machine_waits(machine, state, SYMBOL_ATOMIC, in->element, t))
      continue;
    machine_wake(machine, state, t);
    count++;
  }
  return count;
}

/* What holds in every state. */
static void check_state(const struct machine *machine, const int64_t *state) {
  const struct program *p = machine->program;
  int64_t arrived;
  for (uint32_t i = 0; i < p->count[SYMBOL_SEMAPHORE]; i++)
    if (machine_semaphore(machine, state, i) < 0) broken("a semaphore below 0");
  for (uint32_t i = 0; i < p->count[SYMBOL_BARRIER]; i++)
    if (machine_barrier(machine, state, i, &arrived) < 0 || arrived < 0 ||
        arrived >= program_symbol(p, SYMBOL_BARRIER, i)->initial)
      broken("a round with too many arrivals");
  for (uint32_t i = 0; i < p->count[SYMBOL_RWLOCK]; i++) {
    int64_t readers = machine_readers(machine, state, i);
    uint32_t writer;
    struct place place;
    if (readers < 0 ||
        (readers > 0 && machine_holder(machine, state, SYMBOL_RWLOCK, i, &writer, &place)))
      broken("a lock that is read and written");
  }
  for (uint32_t i = 0; i < p->count[SYMBOL_CHANNEL]; i++) {
    struct channel_state channel;
    channels_see(machine, state, i, &channel);
    if (channel.received > channel.sent ||
        (channel.places > 0 && channel.sent - channel.received > channel.places))
      broken("a channel with too few or too many messages");
  }
}

/* The threads take turns; ends at a run-time error, or when nobody can go on. */
static void run(const struct machine *machine, int64_t *state) {
  uint32_t count = machine->program->count[SYMBOL_THREAD], idle = 0;
  machine_begin(machine, state);
  for (uint32_t t = 0; t < count; t++)
    if (machine_initial(machine, t) && !settle(machine, state, t)) return;
  for (uint32_t turn = 0; turn < STEPS_MAX && idle < count; turn++) {
    uint32_t thread = turn % count;
    struct intent in;
    idle++;
    if (!machine_started(machine, state, thread) || !machine_ready(machine, state, thread))
      continue;
    idle = 0;
    machine_intent(machine, state, thread, &in);
    if (fails(machine, state, thread)) return;
    if (!messages_reserve(machine->messages)) broken("no memory");
    machine_perform(machine, state, thread,
                    in.opcode == DO_FUTEX_WAKE ? wake(machine, state, &in)
                                               : result_of(machine, state, thread, &in));
    check_state(machine, state);
    if (!settle(machine, state, thread)) return;
    if (in.opcode == DO_SPAWN && !settle(machine, state, in.element)) return;
  }
}

static enum possible possible(void *user, term fact, term wanted, int64_t *value) {
  const struct machine *machine = user;
  int64_t low[4096] = {0};
  const uint32_t count = machine->program->count[SYMBOL_INPUT];
  if (count > 4096 || fact % 3 == 0) return fact % 2 == 0 ? POSSIBLE_UNKNOWN : POSSIBLE_NO;
  for (uint32_t i = 0; i < count; i++)
    low[i] = machine->inputs[i].low;
  if (value != NULL && !terms_evaluate(machine->symbolic->terms, wanted, low, value))
    return POSSIBLE_REFUSED;
  return POSSIBLE_YES;
}

static uint32_t history(void *user) {
  (void)user;
  return 0;
}

static bool stands(void *user, uint32_t branch) {
  const struct machine *machine = user;
  if (branch >= machine->symbolic->branches->count) broken("a branch that there is not");
  return true;
}

static void run_symbolic(struct machine *machine) {
  struct symbolic symbolic;
  struct terms terms;
  struct branches branches = {.count = 0};
  struct problem problem;
  memset(&problem, 0, sizeof problem);
  if (!taint_find(machine->program, machine->inputs, machine->tainted, &problem)) {
    if (problem.text[0] == '\0') broken("a refusal without a text");
    return;
  }
  if (!terms_make(&terms)) broken("no memory");
  symbolic_make(&symbolic, &terms, &branches);
  if (!machine_set_symbolic(machine, &symbolic)) broken("no memory");
  symbolic.max_values = symbolic.max_branches = 20;
  symbolic.possible = possible;
  symbolic.history = history;
  symbolic.stands = stands;
  symbolic.user = machine;
  int64_t *state = calloc(machine->words + 1, sizeof *state);
  if (state == NULL) broken("no memory");
  if (machine->words <= WORDS_MAX) run(machine, state);
  free(state);
  symbolic_free(&symbolic);
  branches_free(&branches);
  terms_free(&terms);
}

static void run_program(const struct program *program) {
  struct machine machine;
  if (!machine_make(&machine, program, 3)) broken("no memory");
  int64_t *state = calloc(machine.words + 1, sizeof *state);
  if (state == NULL) broken("no memory");
  if (machine.words <= WORDS_MAX) run(&machine, state);
  free(state);
  if (program->count[SYMBOL_INPUT] > 0) run_symbolic(&machine);
  machine_free(&machine);
}

static void check_problem(const struct problem *problem, const uint8_t *data, size_t size) {
  uint32_t lines = 1;
  for (size_t i = 0; i < size; i++)
    lines += data[i] == '\n';
  if (problem->text[0] == '\0') broken("a mistake without a text");
  if (memchr(problem->text, '\0', sizeof problem->text) == NULL) broken("a text without an end");
  if (problem->place.line < 1 || problem->place.line > lines) broken("a line outside of the text");
  if (problem->place.column < 1 || problem->place.column > size + 1)
    broken("a column outside of the text");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct program program;
  struct problem problem;
  char *text = malloc(size + 1);
  if (text == NULL) broken("no memory");
  if (size > 0) memcpy(text, data, size);
  text[size] = '\0';
  memset(&problem, 0, sizeof problem);
  if (program_compile(&program, text, size, &problem))
    run_program(&program);
  else
    check_problem(&problem, data, size);
  program_free(&program);
  return 0;
}

#ifndef FUZZ_WITH_LIBFUZZER

struct seed {
  uint8_t *data;
  size_t size;
};

static uint64_t state_of_chance;

static uint64_t chance(void) {
  return splitmix64(&state_of_chance);
}

static size_t below(size_t bound) {
  return bound == 0 ? 0 : (size_t)(chance() % bound);
}

static struct seed read_seed(const char *path) {
  struct seed seed = {NULL, 0};
  FILE *file = fopen(path, "rb");
  uint8_t buffer[1 << 16];
  if (file == NULL) {
    fprintf(stderr, "fuzz_parser: %s cannot be read\n", path);
    exit(2);
  }
  seed.size = fread(buffer, 1, sizeof buffer, file);
  fclose(file);
  seed.data = malloc(seed.size + 1);
  if (seed.data == NULL) broken("no memory");
  memcpy(seed.data, buffer, seed.size);
  return seed;
}

/* Puts a piece of text in the place of another. */
static size_t splice(uint8_t *to, size_t size, size_t room, const void *piece, size_t length) {
  size_t at = below(size + 1), gone = below(4) == 0 ? below(size - at + 1) : below(2);
  if (at + gone > size) gone = size - at;
  if (size - gone + length > room) return size;
  memmove(to + at + length, to + at + gone, size - at - gone);
  memcpy(to + at, piece, length);
  return size - gone + length;
}

static size_t mutate(uint8_t *to, size_t room, const struct seed *seeds, size_t count) {
  static const char *const pieces[] = {"9223372036854775807",
                                       "-9223372036854775808",
                                       "99999999999999999999",
                                       "[",
                                       "]",
                                       "(",
                                       ")",
                                       "{",
                                       "}",
                                       "while (1) ",
                                       "if (0) ",
                                       "else ",
                                       "int r = ",
                                       "lock(",
                                       "trylock(m)",
                                       "choose(0, 3)",
                                       "wait(c, m);",
                                       "r = timedwait(c, m);",
                                       "signal(c);",
                                       "r = futex_wait(x, 0);",
                                       "futex_wake(x, 1);",
                                       "broadcast(c);",
                                       "rdlock(L);",
                                       "unlock(L);",
                                       "trywrlock(L)",
                                       "sem_wait(S);",
                                       "post(S);",
                                       "arrive(B);",
                                       "rwlock L;",
                                       "cond c;",
                                       "semaphore S = 2;",
                                       "barrier B = 2;",
                                       "channel d = 1;",
                                       "send(d, 1);",
                                       "r = receive(d);",
                                       "r = tryreceive(d);",
                                       "close(d);",
                                       "overlay o = x[0..1];",
                                       "await(x == 1)",
                                       "thread w[i : 0..3] ",
                                       "shared int s[2] = 1;",
                                       "/*",
                                       "*/",
                                       "//",
                                       "\n",
                                       " / 0",
                                       " << 64",
                                       " && ",
                                       " || ",
                                       "- - - ",
                                       "((((((((",
                                       "..",
                                       "break;",
                                       "continue;",
                                       "assert(",
                                       "mutex m;",
                                       "main",
                                       "= ",
                                       "== "};
  const struct seed *seed = &seeds[below(count)], *other = &seeds[below(count)];
  size_t size = seed->size < room ? seed->size : room;
  if (size > 0) memcpy(to, seed->data, size);
  for (size_t n = 1 + below(6); n > 0; n--) {
    const char *piece = pieces[below(sizeof pieces / sizeof pieces[0])];
    uint8_t byte = (uint8_t)chance();
    size_t from = below(other->size + 1), length = below(other->size - from + 1);
    switch (below(4)) {
    case 0:
      size = splice(to, size, room, &byte, 1);
      break;
    case 1:
      size = splice(to, size, room, other->data + from, length);
      break;
    default:
      size = splice(to, size, room, piece, strlen(piece));
    }
  }
  return size;
}

int main(int argc, char **argv) {
  enum { ROOM = 1 << 17 };
  if (argc < 4) {
    fputs("usage: fuzz_parser ROUNDS SEED FILE …\n", stderr);
    return 2;
  }
  size_t count = (size_t)(argc - 3);
  unsigned long rounds = strtoul(argv[1], NULL, 10);
  state_of_chance = strtoul(argv[2], NULL, 10);
  struct seed *seeds = malloc(count * sizeof *seeds);
  uint8_t *text = malloc(ROOM);
  if (seeds == NULL || text == NULL) broken("no memory");
  for (size_t i = 0; i < count; i++) {
    seeds[i] = read_seed(argv[i + 3]);
    LLVMFuzzerTestOneInput(seeds[i].data, seeds[i].size);
  }
  for (unsigned long i = 0; i < rounds; i++)
    LLVMFuzzerTestOneInput(text, mutate(text, ROOM, seeds, count));
  for (size_t i = 0; i < count; i++)
    free(seeds[i].data);
  free(seeds);
  free(text);
  printf("%zu seeds, %lu mutations\n", count, rounds);
  return 0;
}

#endif
