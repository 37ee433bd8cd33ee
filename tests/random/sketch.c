/*
 * Program sketches: memory and cutting. A cut works on the at-th statement of the text; it
 * may leave a program that does not read (a register without its declaration) or has a race:
 * whoever cuts asks the oracle.
 */
#include "sketch.h"

#include "../../src/base/random.h"
#include "program.h"

#include <stdlib.h>
#include <string.h>

uint64_t random_next(random_source *r) {
  return splitmix64(&r->state);
}

unsigned random_below(random_source *r, unsigned n) {
  return n == 0 ? 0 : (unsigned)(random_next(r) % n);
}

bool random_chance(random_source *r, unsigned percent) {
  return random_below(r, 100) < percent;
}

sketch *sketch_new(void) {
  sketch *s = oracle_allocate(sizeof *s);
  s->bound = -1;
  return s;
}

static void free_nodes(node *n) {
  while (n != NULL) {
    node *next = n->next;
    free_nodes(n->body);
    free_nodes(n->other);
    free(n);
    n = next;
  }
}

void sketch_free(sketch *s) {
  if (s == NULL) return;
  for (unsigned i = 0; i < SKETCH_THREADS_MAX; i++) {
    free_nodes(s->bodies[i]);
  }
  free(s);
}

static node *copy_nodes(const node *n) {
  node *first = NULL, **end = &first;
  for (; n != NULL; n = n->next) {
    *end = oracle_allocate(sizeof **end);
    **end = *n;
    (*end)->body = copy_nodes(n->body);
    (*end)->other = copy_nodes(n->other);
    end = &(*end)->next;
    *end = NULL;
  }
  return first;
}

sketch *sketch_copy(const sketch *s) {
  sketch *copy = oracle_allocate(sizeof *copy);
  *copy = *s;
  for (unsigned i = 0; i < SKETCH_THREADS_MAX; i++) {
    copy->bodies[i] = copy_nodes(s->bodies[i]);
  }
  return copy;
}

node *sketch_node(sketch *s, node_kind kind, int a, int b) {
  node *n = oracle_allocate(sizeof *n);
  n->kind = kind;
  n->a = a;
  n->b = b;
  n->id = s->ids++;
  return n;
}

/* ---- cutting ---- */

static unsigned count_nodes(const node *n) {
  unsigned count = 0;
  for (; n != NULL; n = n->next) {
    count += 1 + count_nodes(n->body) + count_nodes(n->other);
  }
  return count;
}

unsigned sketch_size(const sketch *s) {
  unsigned count = 0;
  for (unsigned i = 0; i < s->threads; i++) {
    count += count_nodes(s->bodies[i]);
  }
  return count;
}

/* The link to the at-th statement, or NULL with *at reduced by what was passed. */
static node **find_node(node **link, unsigned *at) {
  for (; *link != NULL; link = &(*link)->next) {
    if (*at == 0) return link;
    --*at;
    node **inside = find_node(&(*link)->body, at);
    if (inside == NULL) inside = find_node(&(*link)->other, at);
    if (inside != NULL) return inside;
  }
  return NULL;
}

/* Puts a list in the place of a statement. */
static void replace_node(node **link, node *list) {
  node *old = *link;
  node **end = &list;
  while (*end != NULL) {
    end = &(*end)->next;
  }
  *end = old->next;
  *link = list;
  old->next = NULL;
  free_nodes(old);
}

/* The object before the one that is named. */
static bool cut_object(node *n) {
  bool names_mutex = n->kind == NODE_LOCK || n->kind == NODE_UNLOCK || n->kind == NODE_SECTION ||
                     n->kind == NODE_TRY || n->kind == NODE_TRYKEEP;
  if ((n->kind <= NODE_TWICE && !names_mutex) || n->a == 0) return false;
  n->a--;
  return true;
}

static bool cut_mutex(node *n) {
  if (n->kind < NODE_WAIT || n->kind > NODE_WHILEWAIT || n->b == 0) return false;
  n->b--;
  return true;
}

bool sketch_cut_at(sketch *s, unsigned at, sketch_cut cut) {
  node **link = NULL;
  for (unsigned i = 0; i < s->threads && link == NULL; i++) {
    link = find_node(&s->bodies[i], &at);
  }
  if (link == NULL) return false;
  node *n = *link;
  node *kept = NULL;
  switch (cut) {
  case CUT_STATEMENT:
    break;
  case CUT_AROUND:
    kept = n->body;
    n->body = NULL;
    if (kept == NULL) return false;
    break;
  case CUT_OTHER:
    kept = n->other;
    n->other = NULL;
    if (kept == NULL) return false;
    break;
  case CUT_VALUE:
    if (n->kind == NODE_CHOOSE && n->b > n->a) {
      n->b--;
      return true;
    }
    if (n->kind == NODE_TWICE && n->a > 1) {
      n->a--;
      return true;
    }
    return cut_object(n);
  case CUT_SECOND:
    return cut_mutex(n);
  case CUT_KINDS:
    return false;
  }
  replace_node(link, kept);
  return true;
}

/* Whether spawn or join name the thread; those that name a later one are put one
 * down if renumber. */
static bool names_thread(node *n, int thread, bool renumber) {
  bool found = false;
  for (; n != NULL; n = n->next) {
    if (n->kind == NODE_SPAWN || n->kind == NODE_JOIN) {
      found = found || n->a == thread;
      if (renumber && n->a > thread) n->a--;
    }
    found = names_thread(n->body, thread, renumber) || found;
    found = names_thread(n->other, thread, renumber) || found;
  }
  return found;
}

bool sketch_cut_thread(sketch *s, unsigned thread) {
  if (s->threads <= 1 || (s->alone && thread == 0)) return false;
  for (unsigned i = 0; i < s->threads; i++) {
    if (i != thread && names_thread(s->bodies[i], (int)thread, false)) return false;
  }
  free_nodes(s->bodies[thread]);
  s->threads--;
  /* What nobody owns any more belongs to a thread that receives nothing from it. */
  for (unsigned i = 0; i < SKETCH_MESSAGES; i++) {
    if (s->owners[i] > 0 && s->owners[i] >= (int)thread) s->owners[i]--;
  }
  for (unsigned i = thread; i < s->threads; i++) {
    s->bodies[i] = s->bodies[i + 1];
  }
  s->bodies[s->threads] = NULL;
  for (unsigned i = 0; i < s->threads; i++) {
    names_thread(s->bodies[i], (int)thread, true);
  }
  return true;
}
