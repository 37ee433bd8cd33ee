#include "valued_states.h"

#include <stdlib.h>
#include <string.h>

/* ---- what can be read ---- */

typedef struct reading {
  const program *program;
  const symbol *input;
  bool *seen; /* instructions */
} reading;

static bool expression_reads(const reading *in, uint32_t number) {
  if (number == ORACLE_NONE) return false;
  const expression *e = &in->program->expressions[number];
  if (e->kind == EXPRESSION_SHARED && &in->program->symbols[e->place] == in->input) return true;
  if (e->kind == EXPRESSION_CONSTANT || e->kind == EXPRESSION_REGISTER) return false;
  return expression_reads(in, e->left) ||
         (e->kind == EXPRESSION_BINARY && expression_reads(in, e->right));
}

/* Whether the input is read from an instruction on. */
static bool code_reads(reading *in, uint32_t at) {
  for (;;) {
    if (in->seen[at]) return false;
    in->seen[at] = true;
    const instruction *i = &in->program->code[at];
    if (expression_reads(in, i->value) || expression_reads(in, i->second) ||
        expression_reads(in, i->index) || expression_reads(in, i->other_index))
      return true;
    if (i->kind == INSTRUCTION_END) return false;
    if (i->kind == INSTRUCTION_BRANCH && code_reads(in, i->target)) return true;
    at = i->kind == INSTRUCTION_JUMP ? i->target : at + 1;
  }
}

static void find_reads(valued *v) {
  const program *p = v->program;
  const size_t count = p->code_count;
  v->reads = oracle_allocate((v->input_count * count + 1) * sizeof *v->reads);
  for (size_t i = 0; i < v->input_count; i++) {
    for (uint32_t at = 0; at < count; at++) {
      reading in = {p, v->inputs[i], oracle_allocate((count + 1) * sizeof *in.seen)};
      v->reads[i * count + at] = code_reads(&in, at);
      free(in.seen);
    }
  }
}

static bool is_read(const valued *v, const int64_t *state, size_t input) {
  const program *p = v->program;
  for (uint32_t t = 0; t < p->thread_count; t++) {
    const int64_t *words = machine_thread_const(&v->subject.machine, state, t);
    const bool over =
        words[THREAD_KIND] == OPERATION_FINISHED || words[THREAD_KIND] == OPERATION_STOPPED;
    /* What a thread that stands at an operation needs of it is in its words. */
    const bool waits = words[THREAD_KIND] == OPERATION_WAITING;
    if (!over && v->reads[input * p->code_count + (size_t)words[THREAD_PC] + !waits]) return true;
  }
  return false;
}

/* ---- values ---- */

static void symbol_of(valued *v, symbol *s) {
  if (!s->input) return;
  v->inputs[v->input_count++] = s;
  s->initial = s->low;
  v->values *= (uint32_t)(s->maximum - s->low + 1);
}

void valued_open(valued *v, program *p, bool whole) {
  memset(v, 0, sizeof *v);
  v->program = p;
  v->whole = whole;
  v->values = 1;
  v->inputs = oracle_allocate((p->symbol_count + 1) * sizeof *v->inputs);
  for (size_t i = 0; i < p->symbol_count; i++)
    symbol_of(v, &p->symbols[i]);
  subject_open(&v->subject, p);
  find_reads(v);
}

void valued_close(valued *v) {
  subject_close(&v->subject);
  free(v->inputs);
  free(v->reads);
}

void valued_set(valued *v, uint32_t number) {
  for (size_t i = 0; i < v->program->symbol_count; i++) {
    symbol *s = &v->program->symbols[i];
    if (!s->input) continue;
    const uint32_t count = (uint32_t)(s->maximum - s->low + 1);
    s->initial = s->low + number % count;
    number /= count;
  }
}

void valued_essence(const valued *v, const int64_t *state, int64_t *out) {
  subject_essence(&v->subject, state, out);
  for (size_t i = 0; i < v->input_count && !v->whole; i++)
    if (!is_read(v, state, i))
      *machine_object(&v->subject.machine, out, SYMBOL_SHARED, v->inputs[i]->base) = 0;
}

/* ---- all states ---- */

static fate search_one(valued *v) {
  subject one;
  size_t index, capacity = v->subject.states.count;
  int64_t *out = oracle_allocate((v->subject.machine.words + 1) * sizeof *out);
  subject_open(&one, v->program);
  fate result = subject_search(&one);
  for (size_t i = 0; result == GOOD && i < one.states.count; i++) {
    valued_essence(v, one.states.data + i * one.states.words, out);
    if (rows_add(&v->subject.states, out, &index)) {
      v->subject.stuck =
          oracle_grow(v->subject.stuck, (capacity + i + 1) * sizeof *v->subject.stuck);
      v->subject.stuck[index] = one.stuck[i];
    } else if (v->subject.stuck[index] != one.stuck[i]) {
      result = FAILED;
    }
  }
  subject_close(&one);
  free(out);
  return result;
}

fate valued_search(valued *v) {
  fate result = v->values <= VALUES_MAX ? GOOD : LARGE;
  v->subject.states.words = v->subject.machine.words;
  for (uint32_t i = 0; result == GOOD && i < v->values; i++) {
    valued_set(v, i);
    result = search_one(v);
  }
  valued_set(v, 0);
  return result;
}
