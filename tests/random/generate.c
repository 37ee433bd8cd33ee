/*
 * The random programs. First a profile is drawn (how many threads and mutexes, which statements are
 * frequent), so that the sample has programs that are all trylocks, all spawns, all choices, beside
 * the mixed ones. Shared cell i is touched only where mutex i is held in the text, or, seldom,
 * anywhere; programs that have a race after all are left out by the oracle. Mutexes are mostly
 * taken in sections, sometimes locked or unlocked alone, which gives deadlocks and undefined
 * behaviour.
 */
#include "generate.h"

static const unsigned usual_weights[NODE_COUNT] = {
    [NODE_LOCK] = 3,   [NODE_UNLOCK] = 2,  [NODE_SECTION] = 30, [NODE_PICKED] = 8,
    [NODE_TRY] = 12,   [NODE_TRYKEEP] = 3, [NODE_SPAWN] = 4,    [NODE_JOIN] = 4,
    [NODE_CHOOSE] = 8, [NODE_SET] = 8,     [NODE_ADD] = 8,      [NODE_SETREG] = 5,
    [NODE_IFREG] = 14, [NODE_IFCELL] = 12, [NODE_ASSUME] = 2,   [NODE_ASSERT] = 3,
    [NODE_TWICE] = 2};

static void draw_weights(profile *p) {
  for (unsigned i = 0; i < NODE_COUNT; i++) {
    p->weights[i] = usual_weights[i];
  }
  if (random_chance(p->random, 40)) {
    static const node_kind favourites[] = {NODE_LOCK,   NODE_TRY,    NODE_SPAWN,  NODE_JOIN,
                                           NODE_CHOOSE, NODE_IFCELL, NODE_TRYKEEP};
    node_kind kind = favourites[random_below(p->random, sizeof favourites / sizeof favourites[0])];
    p->weights[kind] += 30;
    if (kind == NODE_LOCK) p->weights[NODE_UNLOCK] += 25;
  }
  for (unsigned i = 0; i < NODE_COUNT; i++) {
    p->total += p->weights[i];
  }
}

static node_kind draw_kind(profile *p) {
  unsigned at = random_below(p->random, p->total);
  unsigned kind = 0;
  while (at >= p->weights[kind]) {
    at -= p->weights[kind++];
  }
  return (node_kind)kind;
}

void generate_register(place *where, unsigned id) {
  unsigned at = where->register_count < 8 ? where->register_count++ : id % 8;
  where->registers[at] = (int)id;
}

/* A cell whose mutex is held, now and then any; or one whose reader-writer lock is held. */
static int draw_cell(profile *p, const place *where, bool write) {
  if ((p->sketch->families & FAMILY_RWLOCK) != 0 && random_chance(p->random, 50)) {
    unsigned cell = SKETCH_MUTEXES + random_below(p->random, SKETCH_RWLOCKS);
    if (((write ? where->held : where->readable) >> cell & 1) != 0) return (int)cell;
  }
  for (int tries = 0; tries < 4; tries++) {
    unsigned cell = random_below(p->random, p->mutexes);
    if ((where->held >> cell & 1) != 0) return (int)cell;
  }
  return random_chance(p->random, 8) ? (int)random_below(p->random, SKETCH_MUTEXES) : -1;
}

static int draw_register(profile *p, const place *where) {
  if (where->register_count == 0) return -1;
  return where->registers[random_below(p->random, where->register_count)];
}

static node *mutex_statement(profile *p, node_kind kind, place *where) {
  unsigned mutex = random_below(p->random, p->mutexes);
  bool held = (where->held >> mutex & 1) != 0;
  if (held && kind != NODE_UNLOCK && kind != NODE_TRY && !random_chance(p->random, 5)) return NULL;
  if (!held && kind == NODE_UNLOCK && !random_chance(p->random, 5)) return NULL;
  node *n = sketch_node(p->sketch, kind, (int)mutex, 0);
  place inside = *where;
  inside.held |= 1u << mutex;
  inside.readable |= 1u << mutex;
  inside.depth++;
  if (kind == NODE_SECTION) n->body = generate_statements(p, inside, 3);
  if (kind == NODE_TRY) {
    n->body = generate_statements(p, inside, 2);
    inside.held = where->held;
    inside.readable = where->readable;
    if (random_chance(p->random, 60)) n->other = generate_statements(p, inside, 2);
  }
  if (kind == NODE_LOCK) where->held |= 1u << mutex;
  if (kind == NODE_UNLOCK) where->held &= ~(1u << mutex);
  where->readable = (where->readable & ~((1u << SKETCH_MUTEXES) - 1)) | where->held;
  if (kind == NODE_TRYKEEP || kind == NODE_TRY) generate_register(where, n->id);
  return n;
}

static node *data_statement(profile *p, node_kind kind, place *where) {
  bool of_register = kind == NODE_IFREG || kind == NODE_SETREG ||
                     ((kind == NODE_ASSUME || kind == NODE_ASSERT) && random_chance(p->random, 50));
  bool writes = kind == NODE_SET || kind == NODE_ADD;
  int name =
      kind == NODE_IFREG || of_register ? draw_register(p, where) : draw_cell(p, where, writes);
  int cell = kind == NODE_SETREG ? draw_cell(p, where, true) : 0;
  if (name < 0 || cell < 0) return NULL;
  int value = (int)random_below(p->random, 3);
  node *n = kind == NODE_SETREG ? sketch_node(p->sketch, kind, cell, name)
                                : sketch_node(p->sketch, kind, name, value);
  n->c = of_register;
  if (kind == NODE_IFREG || kind == NODE_IFCELL) {
    place inside = *where;
    inside.depth++;
    n->body = generate_statements(p, inside, 2);
    if (random_chance(p->random, 50)) n->other = generate_statements(p, inside, 2);
  }
  return n;
}

static node *other_statement(profile *p, node_kind kind, place *where) {
  random_source *r = p->random;
  node *n = NULL;
  place inside = *where;
  inside.depth++;
  if (kind == NODE_SPAWN || kind == NODE_JOIN) {
    unsigned target = random_below(r, p->sketch->threads);
    if (kind == NODE_SPAWN && !p->sketch->alone && !random_chance(r, 5)) return NULL;
    if (target == p->thread && !random_chance(r, 3)) return NULL;
    n = sketch_node(p->sketch, kind, (int)target, 0);
  } else if (kind == NODE_CHOOSE) {
    bool mutex = random_chance(r, 40);
    int low = mutex ? 0 : (int)random_below(r, 2);
    int more = (int)random_below(r, 3);
    n = sketch_node(p->sketch, kind, low, mutex ? (int)p->mutexes - 1 : low + more);
    if (mutex) where->picked = (int)n->id;
    generate_register(where, n->id);
  } else if (kind == NODE_PICKED) {
    if (where->picked < 0) return NULL;
    n = sketch_node(p->sketch, kind, where->picked, 0);
    n->body = generate_statements(p, inside, 2);
  } else {
    n = sketch_node(p->sketch, NODE_TWICE, 1 + (int)random_below(r, 3), 0);
    n->body = generate_statements(p, inside, 2);
  }
  return n;
}

static node *statement(profile *p, place *where) {
  node_kind kind = draw_kind(p);
  bool nests = kind == NODE_SECTION || kind == NODE_PICKED || kind == NODE_TRY ||
               kind == NODE_IFREG || kind == NODE_IFCELL || kind == NODE_TWICE ||
               generate_effect_nests(kind);
  if (nests && where->depth >= 3) return NULL;
  if (kind > NODE_TWICE) return generate_effect(p, kind, where);
  switch (kind) {
  case NODE_LOCK:
  case NODE_UNLOCK:
  case NODE_SECTION:
  case NODE_TRY:
  case NODE_TRYKEEP:
    return mutex_statement(p, kind, where);
  case NODE_PICKED:
  case NODE_SPAWN:
  case NODE_JOIN:
  case NODE_CHOOSE:
  case NODE_TWICE:
    return other_statement(p, kind, where);
  default:
    return data_statement(p, kind, where);
  }
}

node *generate_statements(profile *p, place where, unsigned most) {
  node *first = NULL, **end = &first;
  unsigned wanted = 1 + random_below(p->random, most);
  for (unsigned tries = 0; wanted > 0 && p->budget > 0 && tries < 12; tries++) {
    p->budget--;
    *end = statement(p, &where);
    if (*end == NULL) continue;
    end = &(*end)->next;
    wanted--;
  }
  return first;
}

/* main starts the others, mostly each once, and may join them. */
static node *starts(profile *p) {
  node *first = NULL, **end = &first;
  for (unsigned t = 1; t < p->sketch->threads; t++) {
    if (!random_chance(p->random, 80)) continue;
    *end = sketch_node(p->sketch, NODE_SPAWN, (int)t, 0);
    end = &(*end)->next;
  }
  return first;
}

static void append(node **list, node *more) {
  while (*list != NULL) {
    list = &(*list)->next;
  }
  *list = more;
}

static void draw_profile(profile *p) {
  random_source *r = p->random;
  sketch *s = p->sketch;
  p->mutexes = 1 + random_below(r, 3);
  unsigned shape = random_below(r, 100);
  draw_weights(p);
  s->alone = random_chance(r, 45);
  s->threads = shape < 25 ? 2 : shape < 75 ? 3 : shape < 94 ? 4 : 5;
}

sketch *sketch_generate(random_source *r, unsigned families) {
  sketch *s = sketch_new();
  profile p = {.random = r, .sketch = s};
  if (families == 0) {
    draw_profile(&p);
  } else {
    generate_effects_profile(&p, families);
  }
  if (random_chance(r, 10)) s->bound = 1 + (int)random_below(r, 2);
  if (s->bound >= 0) p.weights[NODE_TWICE] += 10, p.total += 10;
  unsigned most = s->threads == 2 ? 14 : s->threads == 3 ? 9 : s->threads == 4 ? 7 : 4;
  if (families != 0) most = s->threads == 2 ? 10 : s->threads == 3 ? 6 : s->threads == 4 ? 3 : 2;
  for (p.thread = 0; p.thread < s->threads; p.thread++) {
    place where = {.picked = -1};
    p.budget = 2 + random_below(r, most);
    bool main_thread = s->alone && p.thread == 0;
    if (main_thread) s->bodies[0] = starts(&p);
    if (families != 0) append(&s->bodies[p.thread], generate_effects_opening(&p));
    append(&s->bodies[p.thread], generate_statements(&p, where, main_thread ? 3 : 6));
    if (main_thread && random_chance(r, 35)) {
      unsigned target = 1 + random_below(r, s->threads - 1);
      append(&s->bodies[0], sketch_node(s, NODE_JOIN, (int)target, 0));
    }
  }
  return s;
}
