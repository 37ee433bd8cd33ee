/* Orders of threads up to threads that are alike: the permutations of a multiset. */
#include "orders.h"

#include <stdlib.h>
#include <string.h>

static bool same_expressions(const program *p, uint32_t a, uint32_t b) {
  if (a == ORACLE_NONE || b == ORACLE_NONE) return a == b;
  const expression *x = &p->expressions[a], *y = &p->expressions[b];
  if (x->kind != y->kind) return false;
  switch (x->kind) {
  case EXPRESSION_CONSTANT:
    return x->value == y->value;
  case EXPRESSION_REGISTER:
    return x->place == y->place && x->place != 0; /* register 0 is the number of the thread */
  case EXPRESSION_SHARED:
    return x->place == y->place && same_expressions(p, x->left, y->left);
  case EXPRESSION_UNARY:
    return x->operator== y->operator&& same_expressions(p, x->left, y->left);
  case EXPRESSION_BINARY:
    return x->operator== y->operator&& same_expressions(p, x->left, y->left) &&
           same_expressions(p, x->right, y->right);
  }
  return false;
}

/* The code of two threads, instruction by instruction; targets of jumps are relative. */
static bool same_code(const program *p, uint32_t a, uint32_t b) {
  for (uint32_t i = a, j = b;; i++, j++) {
    const instruction *x = &p->code[i], *y = &p->code[j];
    bool jumps = x->kind == INSTRUCTION_JUMP || x->kind == INSTRUCTION_BRANCH;
    if (x->kind != y->kind || x->operation != y->operation || x->place != y->place ||
        x->relation != y->relation || x->result != y->result || x->other != y->other ||
        (jumps && x->target - a != y->target - b) || !same_expressions(p, x->index, y->index) ||
        !same_expressions(p, x->value, y->value) || !same_expressions(p, x->second, y->second) ||
        !same_expressions(p, x->other_index, y->other_index)) {
      return false;
    }
    if (x->kind == INSTRUCTION_END) return true;
  }
}

/* A thread that others name, by spawn or join, is like no other. */
static bool named(const program *p, uint32_t thread) {
  for (size_t i = 0; i < p->code_count; i++) {
    const instruction *x = &p->code[i];
    if (x->kind == INSTRUCTION_OPERATION && x->place == p->threads[thread].symbol &&
        (x->operation == OPERATION_SPAWN || x->operation == OPERATION_JOIN)) {
      return true;
    }
  }
  return false;
}

static bool alike(const program *p, uint32_t a, uint32_t b) {
  return p->threads[a].initial == p->threads[b].initial && !named(p, a) && !named(p, b) &&
         same_code(p, p->threads[a].entry, p->threads[b].entry);
}

/* Gives the places of each class to its threads in turn. */
static void settle(orders *o) {
  for (uint32_t t = 0; t < o->threads; t++) {
    uint32_t before = 0, i = 0;
    for (uint32_t u = 0; u < t; u++) {
      before += o->class_of[u] == o->class_of[t];
    }
    for (;; i++) {
      if (o->at[i] == o->class_of[t] && before-- == 0) break;
    }
    o->place[t] = i;
  }
}

/* n! divided by the factorial of the size of each class. */
static uint64_t count_orders(const orders *o) {
  uint64_t count = 1;
  for (uint32_t t = 0; t < o->threads; t++) {
    uint32_t size = 0;
    for (uint32_t u = 0; u <= t; u++) {
      size += o->class_of[u] == o->class_of[t];
    }
    if (count > UINT64_MAX / (t + 1)) return UINT64_MAX;
    count = count * (t + 1) / size;
  }
  return count;
}

static int by_class(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

void orders_begin(orders *o, const program *p) {
  o->threads = (uint32_t)p->thread_count;
  o->class_of = oracle_allocate(o->threads * sizeof *o->class_of);
  o->at = oracle_allocate(o->threads * sizeof *o->at);
  o->place = oracle_allocate(o->threads * sizeof *o->place);
  for (uint32_t t = 0; t < o->threads; t++) {
    uint32_t c = 0;
    while (c < t && (o->class_of[c] != c || !alike(p, c, t))) {
      c++;
    }
    o->class_of[t] = c;
    o->at[t] = c;
  }
  qsort(o->at, o->threads, sizeof *o->at, by_class);
  o->count = count_orders(o);
  settle(o);
}

static void swap(uint32_t *a, uint32_t *b) {
  uint32_t kept = *a;
  *a = *b;
  *b = kept;
}

static void turn(uint32_t *from, uint32_t *to) {
  for (; from < to; from++, to--) {
    swap(from, to);
  }
}

bool orders_next(orders *o) {
  uint32_t i = o->threads, j = o->threads;
  while (i > 1 && o->at[i - 2] >= o->at[i - 1]) {
    i--;
  }
  if (i <= 1) return false;
  do {
    j--;
  } while (o->at[j] <= o->at[i - 2]);
  swap(&o->at[j], &o->at[i - 2]);
  turn(o->at + i - 1, o->at + o->threads - 1);
  settle(o);
  return true;
}

void orders_draw(orders *o, uint64_t *state) {
  for (uint32_t i = o->threads; i > 1; i--) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    swap(&o->at[i - 1], &o->at[(*state >> 33) % i]);
  }
  settle(o);
}

void orders_reverse(orders *o) {
  turn(o->at, o->at + o->threads - 1);
  settle(o);
}

void orders_free(orders *o) {
  free(o->class_of);
  free(o->at);
  free(o->place);
}
