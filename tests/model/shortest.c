/*
 * The fewest steps after which each defect of a program is there, from the definition: a search
 * through all states, the nearest first, by the oracle's machine, which shares no code with
 * unfold-model.
 *
 *   shortest random PROGRAMS SEED FAMILIES    as expected.c has them
 *
 * prints for each program that is looked through a line
 *   DEFECTS LENGTH
 * for each defect a line
 *   KIND STEPS LINE …
 * with the lines at which its threads stand, ascending, each once, and then the program's text, of
 * LENGTH bytes. KIND is assertion (threads stopped by an assertion that failed) or blocked (an
 * execution is over, and threads wait: what unfold-model calls deadlock or livelock).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"
#include "sketch.h"

enum { STATES_MAX = 4000, DEFECTS_MAX = 64, LINES_MAX = 8 };

struct defect {
  bool blocked;
  uint32_t steps, count, lines[LINES_MAX];
};

struct search {
  machine machine;
  const program *program;
  int64_t *states;
  uint32_t depth[STATES_MAX], count, room; /* states; of a hash table */
  uint32_t table[4 * STATES_MAX];
  struct defect defects[DEFECTS_MAX];
  uint32_t defect_count;
  bool whole; /* and not more than there is room for, and without a race */
};

static int64_t *state_of(struct search *s, uint32_t number) {
  return s->states + (size_t)number * s->machine.words;
}

/* Keeps the state behind the last one, unless it is known. */
static void enter(struct search *s, uint32_t depth) {
  const size_t size = s->machine.words * sizeof(int64_t);
  const int64_t *state = state_of(s, s->count);
  uint64_t hash = 0xcbf29ce484222325u;
  for (size_t i = 0; i < s->machine.words; i++)
    hash = (hash ^ (uint64_t)state[i]) * 0x9e3779b97f4a7c15u, hash ^= hash >> 29;
  uint32_t at = (uint32_t)(hash % (4 * STATES_MAX));
  for (; s->table[at] != 0; at = (at + 1) % (4 * STATES_MAX))
    if (memcmp(state_of(s, s->table[at] - 1), state, size) == 0) return;
  s->depth[s->count] = depth;
  s->table[at] = ++s->count;
}

static void add_line(struct defect *d, uint32_t line) {
  uint32_t i = 0;
  while (i < d->count && d->lines[i] < line)
    i++;
  if (i < d->count && d->lines[i] == line) return;
  memmove(d->lines + i + 1, d->lines + i, (d->count - i) * sizeof *d->lines);
  d->lines[i] = line;
  d->count++;
}

static void note(struct search *s, const struct defect *d) {
  for (uint32_t i = 0; i < s->defect_count; i++)
    if (s->defects[i].blocked == d->blocked && s->defects[i].count == d->count &&
        memcmp(s->defects[i].lines, d->lines, d->count * sizeof *d->lines) == 0)
      return;
  if (s->defect_count == DEFECTS_MAX)
    s->whole = false;
  else
    s->defects[s->defect_count++] = *d;
}

static bool can_go_on(struct search *s, const int64_t *state) {
  action a;
  for (uint32_t t = 0; t < s->program->thread_count; t++)
    if (machine_action(&s->machine, state, t, 0, &a)) return true;
  return false;
}

static void look_at(struct search *s, uint32_t number) {
  const int64_t *state = state_of(s, number);
  struct defect failed = {false, s->depth[number], 0, {0}}, blocked = failed;
  bool stopped = false;
  blocked.blocked = true;
  for (uint32_t t = 0; t < s->program->thread_count; t++) {
    operation o = machine_next(&s->machine, state, t);
    const int64_t pc = machine_thread_const(&s->machine, state, t)[THREAD_PC];
    if (o.kind == OPERATION_WAITING || o.kind == OPERATION_FINISHED) continue;
    stopped |= o.kind == OPERATION_STOPPED;
    if (o.kind == OPERATION_STOPPED && o.target == STOP_ASSERT)
      add_line(&failed, s->program->code[pc].line);
    if (o.kind != OPERATION_STOPPED) add_line(&blocked, s->program->code[pc].line);
  }
  if (failed.count > 0) note(s, &failed);
  if (!stopped && blocked.count > 0 && !can_go_on(s, state)) note(s, &blocked);
}

/* What comes of a state. */
static void go_on(struct search *s, uint32_t number) {
  action a;
  for (uint32_t t = 0; s->whole && t < s->program->thread_count; t++)
    for (uint64_t i = 0; machine_action(&s->machine, state_of(s, number), t, i, &a); i++) {
      if (s->count + 1 >= STATES_MAX) s->whole = false;
      if (!s->whole) return;
      memcpy(state_of(s, s->count), state_of(s, number), s->machine.words * sizeof(int64_t));
      if (!machine_perform(&s->machine, state_of(s, s->count), &a)) s->whole = false;
      if (s->whole) enter(s, s->depth[number] + 1);
    }
}

static void search_all(struct search *s) {
  s->whole = machine_start(&s->machine, state_of(s, 0));
  if (s->whole) enter(s, 0);
  for (uint32_t i = 0; s->whole && i < s->count; i++) {
    const int64_t *state = state_of(s, i);
    if (machine_racy(&s->machine, state) || machine_contended(&s->machine, state)) s->whole = false;
    look_at(s, i);
    go_on(s, i);
  }
}

static void print(const struct search *s, const char *text) {
  printf("%" PRIu32 " %zu\n", s->defect_count, strlen(text));
  for (uint32_t i = 0; i < s->defect_count; i++) {
    const struct defect *d = &s->defects[i];
    printf("%s %" PRIu32, d->blocked ? "blocked" : "assertion", d->steps);
    for (uint32_t j = 0; j < d->count; j++)
      printf(" %" PRIu32, d->lines[j]);
    puts("");
  }
  fputs(text, stdout);
}

static bool one(const char *text) {
  const program_options options = {.bound = -1};
  char error[ORACLE_ERROR_MAX];
  static struct search s;
  memset(&s, 0, sizeof s);
  program *p = program_read(text, &options, error);
  if (p == NULL) {
    fprintf(stderr, "shortest: %s in\n%s\n", error, text);
    return false;
  }
  s.program = p;
  machine_init(&s.machine, p);
  s.states = oracle_allocate((STATES_MAX + 1) * (s.machine.words + 1) * sizeof *s.states);
  search_all(&s);
  if (s.whole && s.defect_count > 0) print(&s, text);
  free(s.states);
  program_free(p);
  return true;
}

int main(int argc, char **argv) {
  if (argc != 5 || strcmp(argv[1], "random") != 0) {
    fputs("usage: shortest random PROGRAMS SEED FAMILIES\n", stderr);
    return 2;
  }
  random_source random = {strtoull(argv[3], NULL, 10)};
  bool good = true;
  for (unsigned long i = strtoul(argv[2], NULL, 10); good && i > 0; i--) {
    sketch *s = sketch_generate(&random, (unsigned)strtoul(argv[4], NULL, 10));
    char *text = sketch_text(s);
    good = one(text);
    free(text);
    sketch_free(s);
  }
  return !good;
}
