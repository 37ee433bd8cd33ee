/*
 * unfold-bench-bounds WORKERS: what interning, causality and conflict cost at least, to be counted
 * by callgrind (bench/run --instructions) and compared with the library on the same workload. The
 * functions library_… and bound_… are loops over the same steps and queries; nothing of the rest of
 * the program is counted. One line of JSON: how often each loop goes round.
 *
 * A bound does what cannot be left out of any implementation that keeps one cut with an event, and
 * nothing else:
 *
 *   a step       the handles are checked, and whether the action can happen; the last events of
 *                the thread and of the mutex are read; a name is hashed from them, one place of a
 *                table read, and the name found there compared; the last events are written
 *   a new event  beside that, the table and a record are written, and a cut: the greater one of
 *                two entries for each site where the event joins two histories, a copy where it
 *                adds to one; an unlock has the cut of the lock before it, but for its own sites
 *   causality    an entry of one cut is read, and looked up in the tree of the thread
 *   conflict     the entries of both cuts for each mutex are read, until two of them are on
 *                different branches of the mutex's tree
 *
 * There are no allocations, no growing tables, no events of other kinds. A tree is looked up in
 * constant time, by intervals of a walk through it. These are made when all events are there: what
 * keeping them up to date costs (it can be done, by order maintenance) is not counted. All events
 * and answers must be those of the library.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workload.h"

/* Counted as a call, as those of the library are; and not made one with another of the same body.
 */
#if defined(__GNUC__) && !defined(__clang__)
#define COUNTED __attribute__((noipa)) static
#else
#define COUNTED __attribute__((noinline)) static
#endif

enum { QUERIES = 100000, SITES = MOST_WORKERS + 1 + MUTEXES + 3, NOT_STARTED = -1 };

struct record {
  uint64_t name;
  uint32_t thread, second; /* the sites that it writes; the same when it writes no other */
  uint32_t causes[2];
  uint32_t block; /* its cut without its own sites: where it begins */
};

/* The numbers of an event and of all below it. */
struct interval {
  uint32_t first, count;
};

struct bound {
  uint32_t threads, sites; /* sites: threads, then mutexes, to a multiple of four */
  uint32_t count, room, mask;
  uint32_t blocks;
  struct record *records;
  uint32_t *table, *cuts;
  struct interval *on_thread, *on_mutex;
  int64_t last[SITES]; /* of the configuration, by site */
  uint32_t holder[MUTEXES];
  uint32_t size;
};

static void *room_for(size_t count, size_t size) {
  void *result = calloc(count, size);
  if (result != NULL) return result;
  fprintf(stderr, "out of memory\n");
  exit(3);
}

static struct bound bound_new(uint32_t workers, size_t steps) {
  struct bound b = {.threads = workers + 1, .sites = (workers + 1 + MUTEXES + 3) / 4 * 4};
  uint32_t places = 2;
  while (places < 2 * steps)
    places *= 2;
  b.mask = places - 1;
  b.room = (uint32_t)steps + 1;
  b.records = room_for(b.room, sizeof *b.records);
  b.table = room_for(places, sizeof *b.table);
  b.cuts = room_for((size_t)b.room * b.sites, sizeof *b.cuts);
  b.on_thread = room_for(b.room, sizeof *b.on_thread);
  b.on_mutex = room_for(b.room, sizeof *b.on_mutex);
  b.records[0].thread = b.records[0].second = b.sites - 1;
  b.blocks = b.sites;
  return b;
}

static void bound_free(struct bound *b) {
  free(b->records);
  free(b->table);
  free(b->cuts);
  free(b->on_thread);
  free(b->on_mutex);
}

static void bound_clear(struct bound *b) {
  memset(b->last, 0, sizeof b->last);
  memset(b->holder, 0, sizeof b->holder);
  for (uint32_t t = 1; t < b->threads; t++)
    b->last[t] = NOT_STARTED;
  b->size = 0;
}

/* ---- interning ---- */

typedef uint32_t four __attribute__((vector_size(16), aligned(4), may_alias));
typedef int32_t four_signs __attribute__((vector_size(16)));

static inline void copy(uint32_t *to, const uint32_t *from, uint32_t sites) {
  for (uint32_t i = 0; i < sites; i += 4)
    *(four *)(to + i) = *(const four *)(from + i);
}

static inline void greater(uint32_t *to, const uint32_t *a, const uint32_t *b, uint32_t sites) {
  for (uint32_t i = 0; i < sites; i += 4) {
    four x = *(const four *)(a + i), y = *(const four *)(b + i);
    four larger = (four)((four_signs)x > (four_signs)y);
    *(four *)(to + i) = (x & larger) | (y & ~larger);
  }
}

static void add(struct bound *b, uint32_t event, uint64_t name, uint32_t thread, uint32_t second,
                const uint32_t causes[2], bool shares) {
  struct record *r = &b->records[event];
  const struct record *own = &b->records[causes[0]], *other = &b->records[causes[1]];
  *r = (struct record){name, thread, second, {causes[0], causes[1]}, own->block};
  if (shares) return;
  r->block = b->blocks;
  uint32_t *cut = b->cuts + r->block;
  if (causes[1] == 0 || b->cuts[own->block + other->thread] >= causes[1])
    copy(cut, b->cuts + own->block, b->sites);
  else
    greater(cut, b->cuts + own->block, b->cuts + other->block, b->sites);
  if (causes[1] > cut[other->thread]) cut[other->thread] = causes[1];
  if (causes[1] > cut[other->second]) cut[other->second] = causes[1];
  cut[own->thread] = causes[0];
  if (causes[0] > cut[own->second]) cut[own->second] = causes[0];
  cut[b->sites - 1] = 0;
  b->blocks += b->sites;
}

COUNTED unf_status bound_perform(struct bound *b, const unf_action *action, uint32_t *out) {
  uint32_t thread = action->thread, second = thread, target = action->target;
  uint32_t causes[2] = {0, 0};
  if (thread >= b->threads || action->second != 0 || action->value != 0) return UNF_INVALID;
  if (b->last[thread] == NOT_STARTED) return UNF_DISABLED;
  causes[0] = (uint32_t)b->last[thread];
  bool locks = action->kind == UNF_DID_ACQUIRE;
  if (locks || action->kind == UNF_DID_RELEASE) {
    if (target >= MUTEXES) return UNF_UNKNOWN;
    if (b->holder[target] != (locks ? 0 : thread)) return UNF_DISABLED;
    b->holder[target] = locks ? thread : 0;
    second = b->threads + target;
    causes[1] = (uint32_t)b->last[second];
  } else if (action->kind == UNF_DID_CREATE || action->kind == UNF_DID_JOIN) {
    if (target >= b->threads) return UNF_UNKNOWN;
    if (action->kind == UNF_DID_JOIN) causes[1] = (uint32_t)b->last[target];
  }
  uint64_t name = (uint64_t)action->kind << 56 | (uint64_t)thread << 28 | target;
  uint64_t hash = (name ^ ((uint64_t)causes[0] << 32 | causes[1])) * 0x9E3779B97F4A7C15u;
  uint32_t place = (uint32_t)((hash ^ hash >> 29) * 0xBF58476D1CE4E5B9u >> 32) & b->mask;
  uint32_t event;
  for (; (event = b->table[place]) != 0; place = (place + 1) & b->mask) {
    const struct record *r = &b->records[event];
    if (r->name == name && r->causes[0] == causes[0] && r->causes[1] == causes[1]) break;
  }
  if (event == 0) {
    if (b->count + 1 == b->room) return UNF_MEMORY;
    event = ++b->count;
    b->table[place] = event;
    add(b, event, name, thread, second, causes, action->kind == UNF_DID_RELEASE);
  }
  b->last[thread] = b->last[second] = event;
  if (action->kind == UNF_DID_CREATE) b->last[target] = event;
  b->size++;
  *out = event;
  return UNF_OK;
}

/* ---- relations ---- */

static inline bool below(const struct interval *tree, uint32_t lower, uint32_t upper) {
  return tree[lower].first - tree[upper].first < tree[upper].count;
}

COUNTED unf_status bound_precedes(const struct bound *b, uint32_t a, uint32_t e, bool *out) {
  if (a > b->count || e > b->count) return UNF_UNKNOWN;
  uint32_t thread = b->records[a].thread;
  const struct record *r = &b->records[e];
  uint32_t last = r->thread == thread ? e : b->cuts[r->block + thread];
  *out = last >= a && below(b->on_thread, last, a);
  return UNF_OK;
}

/* A mutex that one history does not have is at 0 there, which all is below. */
COUNTED unf_status bound_conflicts(const struct bound *b, uint32_t a, uint32_t e, bool *out) {
  if (a > b->count || e > b->count) return UNF_UNKNOWN;
  const struct record *first = &b->records[a], *second = &b->records[e];
  const uint32_t *here = b->cuts + first->block, *there = b->cuts + second->block;
  uint32_t at_here = first->second, at_there = second->second;
  const struct interval *tree = b->on_mutex;
  *out = true;
  for (uint32_t m = b->threads; m < b->threads + MUTEXES; m++) {
    uint32_t x = m == at_here ? a : here[m], y = m == at_there ? e : there[m];
    if (x != y && !(x < y ? below(tree, y, x) : below(tree, x, y))) return UNF_OK;
  }
  *out = false;
  return UNF_OK;
}

/* Numbers the trees in which an event comes below its cause on the same site. Causes have smaller
 * numbers, and 0 is above all. */
static void number_trees(struct bound *b, bool mutexes, struct interval *tree) {
  uint32_t *sizes = room_for(b->count + 1, sizeof *sizes);
  uint32_t *next = room_for(b->count + 1, sizeof *next);
  uint32_t *above = room_for(b->count + 1, sizeof *above);
  for (uint32_t e = b->count; e > 0; e--) {
    const struct record *r = &b->records[e];
    uint32_t cause = r->causes[mutexes];
    uint32_t site = mutexes ? r->second : r->thread;
    bool same = mutexes ? b->records[cause].second == site : b->records[cause].thread == site;
    above[e] = same ? cause : 0;
    sizes[e]++;
    sizes[above[e]] += sizes[e];
  }
  tree[0].count = UINT32_MAX;
  for (uint32_t e = 1; e <= b->count; e++) {
    tree[e].first = next[above[e]];
    tree[e].count = sizes[e];
    next[above[e]] += sizes[e];
    next[e] = tree[e].first + 1;
  }
  free(sizes);
  free(next);
  free(above);
}

/* ---- the loops that are counted ---- */

struct subject {
  struct workload load;
  struct bound bound;
  unf_context *context;
  unf_unfolding *unfolding;
  unf_configuration *configuration;
  unf_event *events, *bound_events, *pairs;
  bool answers[QUERIES], bound_answers[QUERIES];
};

static void must(unf_status status, const char *what) {
  if (status == UNF_OK) return;
  fprintf(stderr, "%s: %s\n", what, unf_status_text(status));
  exit(3);
}

static void library_perform(struct subject *s) {
  for (unsigned i = 0; i < SCHEDULES; i++)
    must(workload_perform(&s->load, i, false, s->configuration, s->events), "library");
}

static void bound_perform_all(struct subject *s) {
  for (unsigned i = 0; i < SCHEDULES; i++) {
    bound_clear(&s->bound);
    for (size_t j = s->load.first[i]; j < s->load.first[i + 1]; j++)
      must(bound_perform(&s->bound, &s->load.actions[j], &s->bound_events[j]), "bound");
  }
}

typedef unf_status (*relation)(const unf_unfolding *, unf_event, unf_event, bool *);
typedef unf_status (*bound_relation)(const struct bound *, uint32_t, uint32_t, bool *);

static inline void library_ask(struct subject *s, relation query) {
  for (int i = 0; i < QUERIES; i++)
    must(query(s->unfolding, s->pairs[2 * i], s->pairs[2 * i + 1], &s->answers[i]), "library");
}

static inline void bound_ask(struct subject *s, bound_relation query) {
  for (int i = 0; i < QUERIES; i++)
    must(query(&s->bound, s->pairs[2 * i], s->pairs[2 * i + 1], &s->bound_answers[i]), "bound");
}

COUNTED void library_first(struct subject *s) {
  library_perform(s);
}

COUNTED void library_again(struct subject *s) {
  library_perform(s);
}

COUNTED void bound_first(struct subject *s) {
  bound_perform_all(s);
}

COUNTED void bound_again(struct subject *s) {
  bound_perform_all(s);
}

COUNTED void library_causality(struct subject *s) {
  library_ask(s, unf_event_precedes);
}

COUNTED void bound_causality(struct subject *s) {
  bound_ask(s, bound_precedes);
}

COUNTED void library_conflict_random(struct subject *s) {
  library_ask(s, unf_event_conflicts);
}

COUNTED void bound_conflict_random(struct subject *s) {
  bound_ask(s, bound_conflicts);
}

COUNTED void library_conflict_execution(struct subject *s) {
  library_ask(s, unf_event_conflicts);
}

COUNTED void bound_conflict_execution(struct subject *s) {
  bound_ask(s, bound_conflicts);
}

/* ---- */

static void compare(bool same, const char *what) {
  if (same) return;
  fprintf(stderr, "%s: the bound differs from the library\n", what);
  exit(4);
}

static void compare_answers(const struct subject *s, const char *what) {
  compare(memcmp(s->answers, s->bound_answers, sizeof s->answers) == 0, what);
}

static void begin(struct subject *s, unsigned workers) {
  if (!workload_make(&s->load, workers, 25, false)) must(UNF_MEMORY, "workload");
  size_t steps = s->load.first[SCHEDULES];
  s->bound = bound_new(workers, steps);
  s->events = room_for(steps, sizeof *s->events);
  s->bound_events = room_for(steps, sizeof *s->bound_events);
  s->pairs = room_for(2 * QUERIES, sizeof *s->pairs);
  must(unf_context_new(NULL, &s->context), "library");
  must(unf_unfolding_new(s->context, NULL, &s->unfolding), "library");
  must(workload_name(&s->load, s->unfolding), "library");
  must(unf_configuration_new(s->unfolding, &s->configuration), "library");
}

static void end(struct subject *s) {
  unf_configuration_free(s->configuration);
  unf_unfolding_free(s->unfolding);
  unf_context_free(s->context);
  bound_free(&s->bound);
  workload_free(&s->load);
  free(s->events);
  free(s->bound_events);
  free(s->pairs);
}

static void relations(struct subject *s) {
  uint64_t seed = 42;
  for (int i = 0; i < 2 * QUERIES; i++)
    s->pairs[i] = 1 + (unf_event)(splitmix64(&seed) % s->bound.count);
  library_causality(s);
  bound_causality(s);
  compare_answers(s, "causality");
  library_conflict_random(s);
  bound_conflict_random(s);
  compare_answers(s, "conflict of random pairs");
  for (int i = 0; i < QUERIES; i++) {
    size_t e = splitmix64(&seed) % SCHEDULES;
    size_t first = s->load.first[e], length = s->load.first[e + 1] - first;
    s->pairs[2 * i] = s->events[first + splitmix64(&seed) % length];
    s->pairs[2 * i + 1] = s->events[first + splitmix64(&seed) % length];
  }
  library_conflict_execution(s);
  bound_conflict_execution(s);
  compare_answers(s, "conflict of pairs of one execution");
}

int main(int argc, char **argv) {
  static struct subject s;
  unsigned workers = argc > 1 ? (unsigned)atoi(argv[1]) : 0;
  if (workers < 1 || workers > MOST_WORKERS) {
    fprintf(stderr, "usage: %s WORKERS\n", argv[0]);
    return 2;
  }
  begin(&s, workers);
  size_t steps = s.load.first[SCHEDULES];
  library_first(&s);
  bound_first(&s);
  library_again(&s);
  bound_again(&s);
  compare(s.bound.count == unf_unfolding_events(s.unfolding), "events");
  compare(memcmp(s.events, s.bound_events, steps * sizeof *s.events) == 0, "events");
  number_trees(&s.bound, false, s.bound.on_thread);
  number_trees(&s.bound, true, s.bound.on_mutex);
  relations(&s);
  printf("{\"workers\": %u, \"steps\": %zu, \"events\": %u, \"queries\": %d}\n", workers, steps,
         s.bound.count, (int)QUERIES);
  end(&s);
  return 0;
}
