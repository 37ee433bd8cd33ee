/* Random programs with inputs, and some that show what a rule is for, against the oracle
 * (input_check.c). A program that fails is cut down. */
#include "input_check.h"
#include "input_programs.h"
#include "reference_inputs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef enum fate { GOOD, LEFT_OUT, BAD } fate;

/* ---- what was in the programs ---- */

/* In so many programs, of those with branches, each action occurred. */
typedef struct occurrences {
  uint64_t programs, actions[ACTION_COUNT];
} occurrences;

static void count_actions(const lattice *l, occurrences *seen) {
  bool in[ACTION_COUNT] = {false};
  for (size_t e = 0; e < l->event_count; e++) {
    in[l->events[e].action.kind] = true;
  }
  if (!in[ACTION_BRANCH]) return;
  seen->programs++;
  for (unsigned k = 0; k < ACTION_COUNT; k++) {
    seen->actions[k] += in[k];
  }
}

/* Each action beside branches in one program of five hundred at least: else a rule that is wrong
 * for it would not be noticed. */
static bool enough(const occurrences *seen) {
  bool good = true;
  for (unsigned k = 0; k < ACTION_COUNT; k++) {
    bool few = seen->actions[k] * 500 < seen->programs;
    printf("%s%s %" PRIu64 "%s", k == 0 ? "in programs: " : ", ", action_name((action_kind)k),
           seen->actions[k], few ? " (TOO FEW)" : "");
    good = good && !few;
  }
  printf("\n");
  return good;
}

/* ---- one program ---- */

static fate check(const char *text, uint64_t seed, int only, input_totals *totals,
                  occurrences *seen, bool say) {
  report r = {{0}};
  program_options options = {.bound = -1, .commuting = seed % 2 == 0, .saturating = true};
  program *p = program_read(text, &options, r.text);
  if (p == NULL) {
    if (say) printf("%s%s\n", text, r.text);
    return say ? BAD : LEFT_OUT;
  }
  symbolic *s = symbolic_walk(p, 3000);
  fate f = LEFT_OUT;
  r.text[0] = '\0';
  if (s->lattice->status == LATTICE_WHOLE && s->lattice->counts.maximal <= 120) {
    f = input_check(s, seed, only, totals, &r) ? GOOD : BAD;
    totals->programs++;
    if (seen != NULL) count_actions(s->lattice, seen);
  }
  if (f == BAD) printf("%s\n%s", r.text, say ? text : "");
  symbolic_free(s);
  program_free(p);
  return f;
}

/* Leaves statements away as long as it fails, with several seeds for what is drawn. */
static void shrink(input_program *p, uint64_t seed, int only) {
  input_totals totals = {0};
  bool smaller = true;
  while (smaller) {
    smaller = false;
    for (unsigned t = 0; t < p->threads; t++) {
      for (unsigned i = 0; i < p->counts[t]; i++) {
        char *gone = p->statements[t][i];
        unsigned rest = p->counts[t] - i - 1;
        memmove(&p->statements[t][i], &p->statements[t][i + 1], rest * sizeof gone);
        p->counts[t]--;
        char *text = input_program_text(p);
        bool bad = false;
        for (uint64_t j = 0; j < 40 && !bad; j++) {
          bad = check(text, seed + 2 * j, only, &totals, NULL, false) == BAD;
        }
        free(text);
        if (bad) {
          free(gone);
          smaller = true;
          i--;
          continue;
        }
        memmove(&p->statements[t][i + 1], &p->statements[t][i], rest * sizeof gone);
        p->statements[t][i] = gone;
        p->counts[t]++;
      }
    }
  }
  char *text = input_program_text(p);
  printf("smaller:\n%s", text);
  free(text);
}

/* Programs that show what a rule is for, with the manner (-1: all): one outcome of which all runs
 * are redundant; a branch between an outcome and what a turn keeps; in other orders than
 * depth-first, a node that is asked about and is not of the run that comes next. */
static const struct {
  const char *text;
  int manner;
} kept[] = {
    {"input int x : 0..2; mutex m; thread a { int r = branch(x > 1, 2); if (r == 0) lock(m); }"
     " thread b { lock(m); } thread c { lock(m); } thread d { branch(x == 0, 2); }",
     -1},
    {"input int x : 0..1; mutex m; cond d; thread a { branch(x != 1, 2); } thread b { choose(0, 1);"
     " int r = branch(x, 2); if (r == 0) { lock(m); unlock(m); } }"
     " thread c { lock(m); wait(d, m); unlock(m); }",
     4},
    {"input int x : 0..1; mutex m; thread a { lock(m); unlock(m); choose(0, 0); choose(0, 0);"
     " branch(x != 0, 2); } thread b { choose(0, 0); choose(0, 0); choose(0, 0); choose(0, 0);"
     " choose(0, 0); choose(0, 0); lock(m); } thread c { lock(m); branch(x == 0, 2); unlock(m); }",
     6},
    {"input int x : 0..4; mutex m; cond d; rwlock k; shared int s; thread a { int r = branch(x, 3);"
     " if (r == 2) { wrlock(k); unlock(k); } else { lock(m); s = 0; unlock(m); } }"
     " thread b { lock(m); wait(d, m); unlock(m); }",
     7},
};

static bool check_kept(input_totals *totals) {
  for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
    for (uint64_t seed = 1; seed <= 100; seed++) {
      if (check(kept[i].text, seed, kept[i].manner, totals, NULL, true) != GOOD) return false;
    }
  }
  return true;
}

static bool check_references(input_totals *totals) {
  for (size_t i = 0; i < reference_input_count; i++) {
    for (uint64_t seed = 1; seed <= 5; seed++) {
      if (check(reference_inputs[i].text, seed, -1, totals, NULL, true) != GOOD) return false;
    }
  }
  return true;
}

static void print(const input_totals *t) {
  printf("%" PRIu64 " programs with inputs, %" PRIu64 " explorations, %" PRIu64 " runs; redundant",
         t->programs, t->explorations, t->runs);
  for (size_t m = 0; m < INPUT_MANNERS; m++) {
    printf(" %s %" PRIu64, input_manner_name(m), t->redundant[m]);
  }
  printf("; undecided %" PRIu64 ", infeasible %" PRIu64 ", twice %" PRIu64 "; %" PRIu64
         " questions, %" PRIu64 " calls\n",
         t->undecided, t->infeasible, t->twice, t->questions, t->calls);
}

int main(int argc, char **argv) {
  uint64_t programs = 1000, seed = 1, only = 0, seconds = 0;
  const char *effects = input_effects;
  bool cut_down = true;
  int manner = -1;
  input_totals totals = {0};
  occurrences seen = {0};
  for (int i = 1; i + 1 < argc; i += 2) {
    uint64_t value = strtoull(argv[i + 1], NULL, 10);
    if (strcmp(argv[i], "--programs") == 0) programs = value;
    if (strcmp(argv[i], "--seed") == 0) seed = value;
    if (strcmp(argv[i], "--only") == 0) only = value;
    if (strcmp(argv[i], "--time") == 0) seconds = value;
    if (strcmp(argv[i], "--effects") == 0) effects = argv[i + 1];
    if (strcmp(argv[i], "--manner") == 0) manner = (int)value;
    if (strcmp(argv[i], "--shrink") == 0) cut_down = strcmp(argv[i + 1], "no") != 0;
  }
  time_t start = time(NULL);
  if (only == 0 && (!check_references(&totals) || !check_kept(&totals))) return 1;
  totals.programs = 0;
  for (uint64_t i = 0; totals.programs < programs; i++) {
    if (seconds > 0 && (uint64_t)(time(NULL) - start) >= seconds) break;
    uint64_t drawn = only != 0 ? only : seed * UINT64_C(1000000000) + i;
    random_source random = {drawn};
    input_program p = {0};
    input_program_draw(&p, &random, effects);
    char *text = input_program_text(&p);
    fate f = check(text, drawn, manner, &totals, &seen, true);
    free(text);
    if (f == BAD) {
      printf("--only %" PRIu64 "\n", drawn);
      if (cut_down) shrink(&p, drawn, manner);
    }
    input_program_free(&p);
    if (f == BAD) return 1;
    if (only != 0) break;
  }
  print(&totals);
  bool sample = totals.programs >= 1000 && strcmp(effects, input_effects) == 0;
  return !sample || enough(&seen) ? 0 : 1;
}
