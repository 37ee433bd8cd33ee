/*
 * Each allocation of terms and of sets of facts refused, once and from there on: what is answered
 * then does not contradict what is answered with all memory, or it is said that there was none;
 * nothing is lost of what was allocated. There is no solver here: what only it knows, or would be
 * asked for lack of memory, is unknown.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answers.h"
#include "content.h"
#include "knowledge.h"

/* glibc's own. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void __libc_free(void *old);

static unsigned long made, refused_at;
static long held;
static bool on;

static bool refuse(void) {
  made++;
  return refused_at > 0 && (made == refused_at || (on && made > refused_at));
}

static void *hold(void *given) {
  held += given != NULL;
  return given;
}

void *malloc(size_t size) {
  return refuse() ? NULL : hold(__libc_malloc(size));
}

void *calloc(size_t count, size_t size) {
  return refuse() ? NULL : hold(__libc_calloc(count, size));
}

void *realloc(void *old, size_t size) {
  if (refuse()) return NULL;
  void *given = __libc_realloc(old, size);
  held += old == NULL && given != NULL;
  return given;
}

void free(void *old) {
  held -= old != NULL;
  __libc_free(old);
}

enum { INPUTS = 3, FACTS = 14, ANSWERS = FACTS + 2 };

/* Comparisons of sums, products and choices of inputs. */
static term fact(struct terms *t, unsigned number) {
  const term x = terms_input(t, number % INPUTS, -4, 4);
  const term y = terms_input(t, (number + 1) % INPUTS, -4, 4);
  const term sum = terms_binary(t, number % 2 == 0 ? TERM_ADD : TERM_MULTIPLY, x, y);
  const term choice = terms_ite(t, terms_binary(t, TERM_LESS, x, y), sum, terms_constant(t, 3));
  const term made_of = terms_binary(t, number % 3 == 0 ? TERM_EQUAL : TERM_AT_MOST, choice,
                                    terms_constant(t, (int64_t)number - 5));
  return number % 4 == 0 ? terms_not(t, made_of) : made_of;
}

/* Names a branch, and finds values that lead to a set. */
static bool content_of(struct knowledge *k, uint32_t set) {
  const struct outcome outcomes[] = {{.fact = fact(&k->terms, 1)}, {.fact = fact(&k->terms, 2)}};
  const uint32_t branch = branches_intern(&k->branches, outcomes, 2);
  json_t *values = branch != UINT32_MAX ? content_witness(k, set) : NULL;
  bool good = values != NULL && content_name(k, branch);
  good = good && content_branch(&k->content, k->content.names[branch]) == branch;
  json_decref(values);
  return good;
}

/* Whether there was memory for all answers. */
static bool answer(enum solver_answer answers[ANSWERS]) {
  struct knowledge k;
  memset(answers, 0, ANSWERS * sizeof *answers);
  bool good = knowledge_open(&k);
  k.solver.steps = 1;
  k.solver.program = "/nonexistent";
  for (unsigned i = 0; good && i < INPUTS; i++)
    good = knowledge_declare(&k, (const char *[]){"x", "y", "z"}[i], -4, 4);
  if (good) knowledge_begin_set(&k);
  uint32_t set = good ? knowledge_end_set(&k) : UINT32_MAX;
  uint32_t other = set;
  for (unsigned i = 0; good && set != UINT32_MAX && i < FACTS; i++) {
    term core[ANSWERS];
    uint32_t count;
    const uint32_t like = set;
    set = knowledge_with(&k, i % 5 == 4 ? other : set, fact(&k.terms, i));
    if (set == UINT32_MAX) break;
    answers[i] = knowledge_look_up(&k, set, like, i % 2 == 0 ? core : NULL, &count);
    if (i % 5 == 2) other = set;
  }
  if (good && set != UINT32_MAX && other != UINT32_MAX)
    answers[FACTS] = knowledge_ask(&k, knowledge_union(&k, set, other));
  if (good && other != UINT32_MAX) good = content_of(&k, other);
  good = good && set != UINT32_MAX && !k.refused && !k.terms.failed;
  knowledge_close(&k);
  return good;
}

static bool contradict(const enum solver_answer *answers, const enum solver_answer *wanted) {
  unsigned i = 0;
  while (i < ANSWERS &&
         (answers[i] == wanted[i] || answers[i] == SOLVER_UNKNOWN || wanted[i] == SOLVER_UNKNOWN))
    i++;
  return i < ANSWERS;
}

int main(void) {
  enum solver_answer wanted[ANSWERS], answers[ANSWERS];
  unsigned long spared = 0;
  signal(SIGPIPE, SIG_IGN);
  if (!answer(wanted)) return EXIT_FAILURE;
  const long before = held;
  made = 0;
  if (!answer(wanted)) return EXIT_FAILURE;
  const unsigned long all = made;
  for (unsigned long at = 1; at <= all; at++)
    for (unsigned more = 0; more < 2; more++) {
      made = 0;
      refused_at = at;
      on = more == 1;
      const bool good = answer(answers);
      refused_at = 0;
      spared += good;
      if (held != before || (good && contradict(answers, wanted))) {
        printf("allocation %lu%s: %ld are held, %ld before; answers %s\n", at,
               on ? " and all after it" : "", held, before,
               good ? "differ" : "are said to lack memory");
        return EXIT_FAILURE;
      }
    }
  printf("%lu allocations, %lu times what was refused was not needed\n", all, spared);
  return all > 30 ? EXIT_SUCCESS : EXIT_FAILURE;
}
