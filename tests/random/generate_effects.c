/*
 * Random programs with conditions, reader-writer locks, semaphores, barriers and atomic variables.
 * One family, sometimes two, is drawn and is frequent; locks, data and choices stay beside it. A
 * condition is waited on with several mutexes, since waiters that share one hide each other. A
 * barrier gets as many threads as it lets pass together, others arrive seldom: such programs are
 * not supported and are left out.
 */
#include "generate.h"

typedef struct weight {
  node_kind kind;
  unsigned share;
} weight;

static const weight common[] = {
    {NODE_LOCK, 2},    {NODE_UNLOCK, 2}, {NODE_SECTION, 14}, {NODE_PICKED, 2}, {NODE_TRY, 4},
    {NODE_TRYKEEP, 1}, {NODE_SPAWN, 2},  {NODE_JOIN, 3},     {NODE_CHOOSE, 5}, {NODE_SET, 6},
    {NODE_ADD, 4},     {NODE_SETREG, 3}, {NODE_IFREG, 12},   {NODE_IFCELL, 8}, {NODE_ASSUME, 1},
    {NODE_ASSERT, 2},  {NODE_TWICE, 2}};
static const weight of_conditions[] = {{NODE_WAIT, 6},         {NODE_TIMEDWAIT, 8},
                                       {NODE_WAITSECTION, 26}, {NODE_WHILEWAIT, 8},
                                       {NODE_SIGNAL, 30},      {NODE_BROADCAST, 14}};
static const weight of_rwlocks[] = {
    {NODE_READ, 26}, {NODE_WRITE, 14}, {NODE_TRYREAD, 8}, {NODE_TRYWRITE, 8}, {NODE_RWALONE, 5}};
static const weight of_semaphores[] = {
    {NODE_POST, 22}, {NODE_SEMWAIT, 16}, {NODE_SEMSECTION, 12}, {NODE_TRYWAIT, 12}};
static const weight of_barriers[] = {{NODE_ARRIVE, 45}};
static const weight of_atomics[] = {{NODE_LOAD, 12},    {NODE_STORE, 12},    {NODE_FETCHADD, 17},
                                    {NODE_FETCHGET, 5}, {NODE_FETCHBITS, 8}, {NODE_EXCHANGE, 5},
                                    {NODE_CAS, 8},      {NODE_AWAIT, 10},    {NODE_XAWAIT, 8}};

static const weight of_futexes[] = {{NODE_FUTEXWAIT, 30}, {NODE_FUTEXWAKE, 34}, {NODE_STORE, 7},
                                    {NODE_LOAD, 3},       {NODE_FETCHADD, 5},   {NODE_CAS, 3},
                                    {NODE_EXCHANGE, 2},   {NODE_AWAIT, 1}};

static const weight of_channels[] = {{NODE_SEND, 62}, {NODE_RECEIVE, 55}, {NODE_CLOSE, 10}};
static const weight of_mailboxes[] = {{NODE_MAIL, 60}, {NODE_ACCEPT, 80}};
static const weight of_futures[] = {{NODE_FUTURESET, 20}, {NODE_FUTUREGET, 32}};

static const struct {
  unsigned family;
  const weight *weights;
  size_t count;
  unsigned share; /* of the programs in which it is the first */
} families_of[] = {
    {FAMILY_CONDITION, of_conditions, sizeof of_conditions / sizeof of_conditions[0], 67},
    {FAMILY_RWLOCK, of_rwlocks, sizeof of_rwlocks / sizeof of_rwlocks[0], 21},
    {FAMILY_SEMAPHORE, of_semaphores, sizeof of_semaphores / sizeof of_semaphores[0], 18},
    {FAMILY_BARRIER, of_barriers, sizeof of_barriers / sizeof of_barriers[0], 14},
    {FAMILY_ATOMIC, of_atomics, sizeof of_atomics / sizeof of_atomics[0], 25},
    {FAMILY_RANGE, of_atomics, sizeof of_atomics / sizeof of_atomics[0], 12},
    {FAMILY_FUTEX, of_futexes, sizeof of_futexes / sizeof of_futexes[0], 20},
    {FAMILY_CHANNEL, of_channels, sizeof of_channels / sizeof of_channels[0], 10},
    {FAMILY_MAILBOX, of_mailboxes, sizeof of_mailboxes / sizeof of_mailboxes[0], 5},
    {FAMILY_FUTURE, of_futures, sizeof of_futures / sizeof of_futures[0], 3},
};
#define FAMILIES (sizeof families_of / sizeof families_of[0])

static void add_weights(profile *p, const weight *weights, size_t count) {
  for (size_t i = 0; i < count; i++) {
    p->weights[weights[i].kind] += weights[i].share;
    p->total += weights[i].share;
  }
}

/* One of the families that may be used, by share; 0 only if there is none. */
static unsigned draw_family(profile *p, unsigned families) {
  unsigned total = 0;
  for (size_t i = 0; i < FAMILIES; i++) {
    if ((families & families_of[i].family) != 0) total += families_of[i].share;
  }
  unsigned at = random_below(p->random, total);
  for (size_t i = 0; i < FAMILIES; i++) {
    if ((families & families_of[i].family) == 0) continue;
    if (at < families_of[i].share) return families_of[i].family;
    at -= families_of[i].share;
  }
  return 0;
}

static void draw_barriers(profile *p) {
  unsigned threads = p->sketch->threads;
  for (unsigned i = 0; i < SKETCH_BARRIERS; i++) {
    unsigned count = 2 + random_below(p->random, threads - 1), left = count;
    p->sketch->barriers[i] = (int)count;
    while (left > 0) {
      unsigned bit = 1u << random_below(p->random, threads);
      if ((p->arrives[i] & bit) == 0) left--;
      p->arrives[i] |= bit;
    }
  }
}

/* Numbers that fill one byte of several, and that carry from one to the next. */
static int draw_value(random_source *r) {
  static const int values[] = {0, 1, 2, 255, 256, 257, -1, 65536, -128};
  return values[random_below(r, sizeof values / sizeof values[0])];
}

/* One in three has a maximum, which its posts often exceed. */
static void draw_semaphores(profile *p) {
  random_source *r = p->random;
  sketch *s = p->sketch;
  for (unsigned i = 0; i < SKETCH_SEMAPHORES; i++) {
    s->semaphores[i] = (int)random_below(r, 3);
  }
  if ((s->families & FAMILY_SEMAPHORE) == 0) return;
  for (unsigned i = 0; i < SKETCH_SEMAPHORES; i++) {
    int least = s->semaphores[i] > 0 ? s->semaphores[i] : 1;
    if (random_chance(r, 35)) s->maxima[i] = least + (int)random_below(r, 2);
  }
  s->high = random_chance(r, 15);
}

/* Few places, so that sends wait too, or none; most of the mailboxes belong to the last thread. */
static void draw_messages(profile *p) {
  random_source *r = p->random;
  sketch *s = p->sketch;
  if ((s->families & (FAMILY_CHANNEL | FAMILY_MAILBOX)) == 0) return;
  for (unsigned i = 0; i < SKETCH_MESSAGES; i++) {
    s->capacities[i] = random_chance(r, 35) ? 0 : 1 + (int)random_below(r, 3);
    s->owners[i] = (int)(random_chance(r, 60) ? s->threads - 1 : random_below(r, s->threads));
  }
}

void generate_effects_profile(profile *p, unsigned families) {
  random_source *r = p->random;
  unsigned shape = random_below(r, 100);
  sketch *s = p->sketch;
  s->families = draw_family(p, families);
  if (random_chance(r, 30)) s->families |= draw_family(p, families);
  s->alone = random_chance(r, 25);
  s->commuting =
      (s->families & (FAMILY_ATOMIC | FAMILY_RANGE | FAMILY_FUTEX)) != 0 && random_chance(r, 50);
  if ((s->families & FAMILY_RANGE) != 0) {
    s->layout = random_below(r, SKETCH_LAYOUTS);
    s->first = random_chance(r, 60) ? 0 : draw_value(r);
  }
  s->threads = shape < 15 ? 2 : shape < 60 ? 3 : shape < 97 ? 4 : 5;
  p->mutexes = (s->families & FAMILY_CONDITION) != 0 ? 1 + random_below(r, 3) : 1;
  p->conditions = random_chance(r, 80) ? 1 : SKETCH_CONDITIONS;
  draw_semaphores(p);
  add_weights(p, common, sizeof common / sizeof common[0]);
  for (size_t i = 0; i < FAMILIES; i++) {
    if ((s->families & families_of[i].family) == 0) continue;
    add_weights(p, families_of[i].weights, families_of[i].count);
  }
  draw_barriers(p);
  draw_messages(p);
}

bool generate_effect_nests(node_kind kind) {
  return kind == NODE_WAITSECTION || kind == NODE_WHILEWAIT || kind == NODE_READ ||
         kind == NODE_WRITE || kind == NODE_TRYREAD || kind == NODE_TRYWRITE ||
         kind == NODE_SEMSECTION;
}

static node *condition_statement(profile *p, node_kind kind, const place *outer, place *where) {
  random_source *r = p->random;
  int condition = (int)random_below(r, p->conditions);
  if (kind == NODE_SIGNAL || kind == NODE_BROADCAST) {
    return sketch_node(p->sketch, kind, condition, 0);
  }
  unsigned mutex = random_below(r, p->mutexes);
  bool held = (outer->held >> mutex & 1) != 0;
  bool alone = kind == NODE_WAIT || kind == NODE_TIMEDWAIT;
  if (held != alone && !random_chance(r, 5)) return NULL;
  node *n = sketch_node(p->sketch, kind, condition, (int)mutex);
  if (kind == NODE_TIMEDWAIT) generate_register(where, n->id);
  if (alone) return n;
  place inside = *outer;
  inside.held |= 1u << mutex;
  inside.readable |= 1u << mutex;
  inside.depth++;
  if (random_chance(r, 50)) n->body = generate_statements(p, inside, 2);
  n->c = (int)random_below(r, 2);
  if (kind == NODE_WAITSECTION) n->d = random_chance(r, 20);
  return n;
}

static node *rwlock_statement(profile *p, node_kind kind, const place *outer, place *where) {
  random_source *r = p->random;
  unsigned lock = random_chance(r, 75) ? 0 : random_below(r, SKETCH_RWLOCKS);
  unsigned bit = 1u << (SKETCH_MUTEXES + lock);
  bool writes = kind == NODE_WRITE || kind == NODE_TRYWRITE;
  bool tries = kind == NODE_TRYREAD || kind == NODE_TRYWRITE;
  if (kind == NODE_RWALONE) {
    return sketch_node(p->sketch, kind, (int)lock, (int)random_below(r, 5));
  }
  if (!tries && (outer->readable & bit) != 0 && !random_chance(r, 15)) return NULL;
  node *n = sketch_node(p->sketch, kind, (int)lock, 0);
  place inside = *outer;
  inside.depth++;
  if (tries && random_chance(r, 50)) n->other = generate_statements(p, inside, 2);
  if (writes) inside.held |= bit;
  inside.readable |= bit;
  if (random_chance(r, 70)) n->body = generate_statements(p, inside, 2);
  if (tries) generate_register(where, n->id);
  return n;
}

static node *semaphore_statement(profile *p, node_kind kind, const place *outer, place *where) {
  random_source *r = p->random;
  int semaphore = random_chance(r, 75) ? 0 : (int)random_below(r, SKETCH_SEMAPHORES);
  node *n = sketch_node(p->sketch, kind, semaphore, 0);
  place inside = *outer;
  inside.depth++;
  if (kind == NODE_SEMSECTION) n->body = generate_statements(p, inside, 2);
  if (kind == NODE_TRYWAIT) generate_register(where, n->id);
  return n;
}

static node *barrier_statement(profile *p, node_kind kind) {
  random_source *r = p->random;
  unsigned barrier = random_chance(r, 80) ? 0 : random_below(r, SKETCH_BARRIERS);
  if ((p->arrives[barrier] >> p->thread & 1) == 0 && !random_chance(r, 2)) return NULL;
  return sketch_node(p->sketch, kind, (int)barrier, 0);
}

static node *atomic_statement(profile *p, node_kind kind, place *where) {
  random_source *r = p->random;
  int cell = random_chance(r, 70) ? 0 : (int)random_below(r, SKETCH_ATOMICS);
  node *n = sketch_node(p->sketch, kind, cell, (int)random_below(r, 3));
  bool awaits = kind == NODE_AWAIT || kind == NODE_XAWAIT;
  n->c = (int)random_below(r, awaits ? 6 : kind == NODE_FETCHBITS ? 4 : 3);
  n->d = (int)random_below(r, 3);
  if ((p->sketch->families & FAMILY_RANGE) != 0) {
    n->a = (int)random_below(r, SKETCH_RANGES);
    n->b = random_chance(r, awaits ? 70 : 40) ? n->b : draw_value(r);
    if (random_chance(r, 40)) n->d = draw_value(r);
    if (kind == NODE_CAS && random_chance(r, 40)) n->c = draw_value(r);
  }
  if (kind == NODE_LOAD || kind == NODE_FETCHGET || kind == NODE_FETCHBITS ||
      kind == NODE_EXCHANGE || kind == NODE_CAS) {
    generate_register(where, n->id);
  }
  return n;
}

/* Waits mostly expect what the atomic has at the start; wakes are of one thread, of a few, or of
 * all. */
static node *futex_statement(profile *p, node_kind kind, place *where) {
  random_source *r = p->random;
  bool ranges = (p->sketch->families & FAMILY_RANGE) != 0;
  int cell =
      random_chance(r, 80) ? 0 : (int)random_below(r, ranges ? SKETCH_RANGES : SKETCH_ATOMICS);
  node *n = sketch_node(p->sketch, kind, cell, 0);
  if (kind == NODE_FUTEXWAIT) {
    n->b = random_chance(r, 25) ? (int)random_below(r, 3) : ranges ? p->sketch->first : 0;
    n->c = random_chance(r, 25);
  } else {
    unsigned how = random_below(r, 100);
    n->b = how < 45 ? 1 : how < 75 ? 2 : how < 85 ? 3 : how < 97 ? 9 : 0;
  }
  generate_register(where, n->id);
  return n;
}

/* A message is a number, or what was received. */
static node *channel_statement(profile *p, node_kind kind, place *where) {
  random_source *r = p->random;
  node *n = sketch_node(p->sketch, kind, random_chance(r, 80) ? 0 : 1, (int)random_below(r, 3));
  if (kind == NODE_CLOSE) return n;
  n->c = random_chance(r, 35);
  if (kind == NODE_SEND && where->register_count > 0 && random_chance(r, 25))
    n->d = 1 + where->registers[random_below(r, where->register_count)];
  if (kind == NODE_RECEIVE || n->c != 0) generate_register(where, n->id);
  return n;
}

/* Mostly one of two tags; a receive accepts one of them, both, seldom one that nobody uses. */
static node *mailbox_statement(profile *p, node_kind kind, place *where) {
  random_source *r = p->random;
  int mailbox = random_chance(r, 80) ? 0 : 1;
  if (kind == NODE_MAIL) {
    node *n = sketch_node(p->sketch, kind, mailbox, (int)random_below(r, 2));
    n->d = (int)random_below(r, 3);
    return n;
  }
  if (p->sketch->owners[mailbox] != (int)p->thread) mailbox = !mailbox;
  if (p->sketch->owners[mailbox] != (int)p->thread) return NULL;
  unsigned how = random_below(r, 100);
  node *n = sketch_node(p->sketch, kind, mailbox, how < 45 ? 3 : how < 70 ? 1 : how < 95 ? 2 : 4);
  n->c = random_chance(r, 35);
  generate_register(where, n->id);
  return n;
}

static node *future_statement(profile *p, node_kind kind, place *where) {
  random_source *r = p->random;
  node *n = sketch_node(p->sketch, kind, random_chance(r, 80) ? 0 : 1, (int)random_below(r, 3));
  if (kind == NODE_FUTURESET) return n;
  n->c = random_chance(r, 40);
  generate_register(where, n->id);
  return n;
}

node *generate_effects_opening(profile *p) {
  random_source *r = p->random;
  node *first = NULL;
  if ((p->sketch->families & FAMILY_FUTEX) != 0 && random_chance(r, 50)) {
    place empty = {.picked = -1, .depth = 2};
    first = futex_statement(p, random_chance(r, 60) ? NODE_FUTEXWAIT : NODE_FUTEXWAKE, &empty);
  }
  if ((p->sketch->families & FAMILY_CONDITION) != 0 && random_chance(r, 50)) {
    place empty = {.picked = -1, .depth = 2};
    node_kind kind = random_chance(r, 65)   ? NODE_WAITSECTION
                     : random_chance(r, 50) ? NODE_SIGNAL
                                            : NODE_BROADCAST;
    node *other = condition_statement(p, kind, &empty, &empty);
    if (other != NULL) {
      other->next = first;
      first = other;
    }
  }
  for (unsigned i = 0; i < SKETCH_BARRIERS && (p->sketch->families & FAMILY_BARRIER) != 0; i++) {
    if ((p->arrives[i] >> p->thread & 1) == 0 || random_chance(r, i == 0 ? 25 : 70)) continue;
    node *arrival = sketch_node(p->sketch, NODE_ARRIVE, (int)i, 0);
    arrival->next = first;
    first = arrival;
    if (random_chance(r, 15)) {
      first = sketch_node(p->sketch, NODE_TWICE, 2, 0);
      first->body = sketch_node(p->sketch, NODE_ARRIVE, (int)i, 0);
      first->next = arrival;
    }
  }
  return first;
}

node *generate_effect(profile *p, node_kind kind, place *where) {
  place outer = *where;
  if (kind <= NODE_BROADCAST) return condition_statement(p, kind, &outer, where);
  if (kind <= NODE_RWALONE) return rwlock_statement(p, kind, &outer, where);
  if (kind <= NODE_TRYWAIT) return semaphore_statement(p, kind, &outer, where);
  if (kind == NODE_ARRIVE) return barrier_statement(p, kind);
  if (kind >= NODE_FUTURESET) return future_statement(p, kind, where);
  if (kind >= NODE_MAIL) return mailbox_statement(p, kind, where);
  if (kind >= NODE_SEND) return channel_statement(p, kind, where);
  if (kind >= NODE_FUTEXWAIT) return futex_statement(p, kind, where);
  return atomic_statement(p, kind, where);
}
