/* Threads that communicate by loads and stores, compiled without callbacks: sites_moves NAME. What
 * is atomic here is plain instructions; run_moves.py has a model of each. */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef void *body(void *);

static atomic_int x, y, flag, sequence, lock;
static int first, second, inside, count;

static void set(atomic_int *object, int value) {
  atomic_store_explicit(object, value, memory_order_release);
}

/* Each says that it comes, then looks for the other one. */
static void *left(void *unused) {
  set(&x, 1);
  if (!atomic_load(&y)) inside++;
  return unused;
}

static void *right(void *unused) {
  set(&y, 1);
  if (!atomic_load(&x)) inside++;
  return unused;
}

/* Looks first. */
static void *late_left(void *unused) {
  if (atomic_load(&y)) return unused;
  set(&x, 1);
  inside++;
  return unused;
}

static void *late_right(void *unused) {
  if (atomic_load(&x)) return unused;
  set(&y, 1);
  inside++;
  return unused;
}

static void *publish(void *unused) {
  first = 7;
  set(&flag, 1);
  return unused;
}

static void *consume(void *unused) {
  if (atomic_load(&flag)) assert(first == 7);
  return unused;
}

static void *spin(void *unused) {
  while (!atomic_load(&flag))
    continue;
  assert(first == 7);
  return unused;
}

static void *never(void *unused) {
  while (atomic_load(&flag) != 2)
    continue;
  return unused;
}

static void *write_twice(void *unused) {
  set(&sequence, 1);
  first = 1;
  second = 1;
  set(&sequence, 2);
  return unused;
}

static void *read_twice(void *unused) {
  const int before = atomic_load(&sequence);
  const int a = *(volatile int *)&first, b = *(volatile int *)&second;
  if (before % 2 == 0 && before == atomic_load(&sequence)) assert(a == b);
  return unused;
}

static void *add(void *unused) {
  count++;
  return unused;
}

/* Reads so many pages of main's heap, one after the other or every other one, that nobody else has
 * come to, before it adds. */
enum { PAGES = 4200, PAGE_SIZE = 4096 };
static char *pages;

static void *go_through(size_t step) {
  int seen = 0;
  for (size_t i = 0; i < PAGES; i++)
    seen += ((volatile char *)pages)[i * step * PAGE_SIZE];
  count += 1 + seen;
  return NULL;
}

static void *go_through_all(void *unused) {
  (void)unused;
  return go_through(1);
}

static void *go_through_some(void *unused) {
  (void)unused;
  return go_through(2);
}

static void *locked(void *unused) {
  while (atomic_exchange(&lock, 1))
    continue;
  count++;
  set(&lock, 0);
  return unused;
}

/* Gives up after some turns: the loop is no wait. */
static void *patient(void *unused) {
  for (int i = 0; i < 3; i++)
    if (atomic_load(&flag)) return unused;
  count = 1;
  return unused;
}

/* Counts its turns where its stack is not, so that none is as the one before. */
static _Thread_local volatile int turns;

static void *counting(void *unused) {
  do {
    if (atomic_load_explicit(&flag, memory_order_relaxed)) return unused;
  } while (++turns != 3);
  count = 1;
  return unused;
}

static void *counting_by_key(void *unused) {
  static pthread_key_t key, other;
  pthread_key_create(&key, NULL);
  pthread_key_create(&other, NULL);
  do {
    if (atomic_load(&flag)) return unused;
    pthread_setspecific(key, (char *)pthread_getspecific(key) + 1);
    pthread_setspecific(other, NULL); /* nothing of it stays in registers */
  } while (pthread_getspecific(key) != (void *)3);
  count = 1;
  return unused;
}

/* Looks under a lock, and rests in between, three times or for ever. */
static int look_under_lock(void) {
  while (atomic_exchange(&lock, 1))
    continue;
  const int seen = first;
  set(&lock, 0);
  usleep(1000);
  return seen;
}

static void *dozing(void *unused) {
  for (int i = 0; i < 3; i++)
    if (look_under_lock()) return unused;
  count = 1;
  return unused;
}

static void *sleeping(void *unused) {
  while (!look_under_lock())
    continue;
  return unused;
}

static void *answer(void *unused) {
  while (atomic_exchange(&lock, 1))
    continue;
  first = 1;
  set(&lock, 0);
  return unused;
}

/* Counts its turns, and gives up in the end. */
static void *pausing(void *unused) {
  for (int i = 0; i < 100000; i++) {
    if (atomic_load(&flag)) return unused;
    __builtin_ia32_pause();
  }
  abort();
}

/* Gives up in the end, too; its random numbers are another thing in each turn. */
static void *yielding(void *unused) {
  for (int i = 0; i < 100000; i++) {
    if (atomic_load(&flag)) return unused;
    sched_yield();
  }
  abort();
}

static void *look_around(void (*rest)(void)) {
  unsigned random = 1;
  for (int i = 0; i < 100000; i++) {
    if (atomic_load(&flag) && atomic_load(&x)) return NULL;
    if (atomic_load(&y)) return NULL;
    random = random * 1103515245 + 12345;
    *(volatile int *)&second = (int)random;
    rest();
  }
  abort();
}

static void rest_a_little(void) {
  __builtin_ia32_pause();
}

static void rest_long(void) {
  sched_yield();
}

static void *looking(void *unused) {
  look_around(unused == NULL ? rest_long : rest_a_little);
  return unused;
}

static void *show(void *unused) {
  set(&flag, 1);
  set(&y, 1);
  return unused;
}

/* Looks under a lock. */
static void *asking(void *unused) {
  for (int i = 0; i < 100000; i++) {
    while (atomic_exchange(&lock, 1))
      sched_yield();
    const int seen = first;
    set(&lock, 0);
    if (seen) return unused;
    sched_yield();
  }
  abort();
}

static void *answering(void *unused) {
  while (atomic_exchange(&lock, 1))
    sched_yield();
  first = 1;
  set(&lock, 0);
  return unused;
}

static void *turn_left(void *unused) {
  set(&x, 1);
  set(&flag, 1);
  while (atomic_load(&y) && atomic_load(&flag) == 1)
    continue;
  count++;
  set(&x, 0);
  return unused;
}

static void *turn_right(void *unused) {
  set(&y, 1);
  set(&flag, 0);
  while (atomic_load(&x) && atomic_load(&flag) == 0)
    continue;
  count++;
  set(&y, 0);
  return unused;
}

struct shared {
  int value;
  atomic_int ready;
  char rest[56];
};

static void *fill(void *argument) {
  struct shared *s = argument;
  s->value = 5;
  set(&s->ready, 1);
  return NULL;
}

/* On the stack of main, or on its heap; whether main looks once, or waits. */
static void in_memory(struct shared *s, int waits) {
  pthread_t thread;
  pthread_create(&thread, NULL, fill, s);
  while (!atomic_load(&s->ready) && waits)
    continue;
  if (atomic_load(&s->ready)) assert(s->value == 5);
  pthread_join(thread, NULL);
}

/* Written by the C library, which is not watched. */
static void read_number(int *number) {
  if (sscanf("9", "%d", number) == 1) assert(*number == 9);
}

static void memory(const char *name) {
  struct shared here = {0}, *there = calloc(1, sizeof here);
  memset(there, 0, sizeof *there);
  in_memory(name[0] == 's' ? &here : there, name[1] == 'w');
  read_number((int *)&(name[0] == 's' ? &here : there)->ready);
  free(there);
}

/* Wider than a word: read at once, or by the C library, and written so. */
typedef long pair __attribute__((vector_size(16)));
static pair two;
static char text[8];
static void *(*volatile copy)(void *, const void *, size_t) = memcpy;
static char *(*volatile copy_text)(char *, const char *) = strcpy;
static size_t (*volatile length)(const char *) = strlen;
static int (*volatile compare)(const void *, const void *, size_t) = memcmp;

/* Of the first number. */
static int half(void) {
  int part;
  memcpy(&part, &two, sizeof part);
  return part;
}

static void *add_vectors(void *unused) {
  volatile pair *both = &two;
  *both = *both + 1;
  return unused;
}

static void *add_copies(void *unused) {
  pair seen;
  copy(&seen, &two, sizeof seen);
  seen += 1;
  copy(&two, &seen, sizeof seen);
  return unused;
}

/* That several threads use its first half is found first: what comes behind the reader's next
 * operation is not looked at in that exploration. */
static pair halves;

static void *write_halves(void *unused) {
  volatile long *first = (long *)&halves;
  volatile pair *both = &halves;
  *first = 1;
  *both = (pair){5, 1};
  return unused;
}

static void *read_halves(void *unused) {
  volatile const long *first = (const long *)&halves;
  (void)*first;
  atomic_fetch_add(&inside, 1);
  (void)first[1];
  return unused;
}

static void *add_letters(void *unused) {
  char seen[sizeof text];
  copy_text(seen, text);
  seen[length(seen) + 1] = '\0';
  seen[length(seen)] = 'a';
  copy_text(text, seen);
  return unused;
}

/* An atomic object at the beginning of a line of memory; and an access that begins in the line in
 * front of it. */
static struct {
  char before[64];
  atomic_long value;
  long behind;
} __attribute__((aligned(64))) lines;
typedef long loose __attribute__((vector_size(16), aligned(1)));

/* By the only thread: an exchange that fails is an operation all the same, and so is what comes
 * after it. */
static void write_alone(void) {
  long expected = 1;
  atomic_compare_exchange_strong(&lines.value, &expected, 2);
  *(volatile loose *)(lines.before + 56) = (loose){3, 4};
}

static void *add_to_line(void *unused) {
  atomic_fetch_add(&lines.value, 1);
  return unused;
}

static void *compares(void *unused) {
  static const pair nothing;
  if (compare(&two, &nothing, sizeof two) == 0) inside++;
  return unused;
}

/* A block, all of whose words are accessed at one place. */
enum { BLOCK = 6 };
static volatile long block[BLOCK];

static void *write_block(void *unused) {
  for (int i = 0; i < BLOCK; i++)
    block[i] = 1;
  return unused;
}

static void *read_block(void *unused) {
  long sum = 0;
  for (int i = 0; i < BLOCK; i++)
    sum += block[i];
  assert(sum <= BLOCK);
  return unused;
}

/* In a page that the thread has written and read before, an object that it reads and then writes.
 */
static struct { volatile int left, right, count; } updated;

static void *update(void *unused) {
  updated.left = 1;
  const int more = updated.left;
  const int before = updated.count;
  updated.count = before + more;
  return unused;
}

static void *is_updated(void *unused) {
  updated.right = 1;
  assert(updated.count == 1);
  return unused;
}

static const struct {
  const char *name;
  body *one, *other;
} cases[] = {{"store-then-load", left, right},
             {"load-then-store", late_left, late_right},
             {"publish", publish, consume},
             {"spin", publish, spin},
             {"never", publish, never},
             {"sequence", write_twice, read_twice},
             {"add", add, add},
             {"locked", locked, locked},
             {"patient", publish, patient},
             {"counting", publish, counting},
             {"key", publish, counting_by_key},
             {"dozing", answer, dozing},
             {"sleeping", answer, sleeping},
             {"vectors", add_vectors, add_vectors},
             {"copies", add_copies, add_copies},
             {"letters", add_letters, add_letters},
             {"halves", write_halves, read_halves},
             {"compares", add_copies, compares},
             {"alone", add_to_line, add_to_line},
             {"pausing", publish, pausing},
             {"yielding", publish, yielding},
             {"looking", show, looking},
             {"asking", answering, asking},
             {"turns", turn_left, turn_right},
             {"block", write_block, read_block},
             {"update", update, is_updated},
             {"crowd", go_through_all, add},
             {"crowds", go_through_some, add}};

int main(int argc, char **argv) {
  pthread_t one, other;
  if (argc < 2) return 2;
  if (strlen(argv[1]) == 2) memory(argv[1]);
  if (strncmp(argv[1], "crowd", 5) == 0) pages = calloc(2 * PAGES, PAGE_SIZE);
  if (strcmp(argv[1], "alone") == 0) write_alone();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    if (strcmp(argv[1], cases[i].name) != 0) continue;
    pthread_create(&one, NULL, cases[i].one, NULL);
    pthread_create(&other, NULL, cases[i].other, NULL);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    if (cases[i].one == late_left) assert(inside <= 1);
    if (cases[i].other == add || cases[i].one == locked || cases[i].one == turn_left)
      assert(count == 2);
    if (cases[i].other == add_to_line) assert(lines.value == 6);
    if (cases[i].other == add_letters) assert(length(text) == 2);
    if (cases[i].other == add_vectors || cases[i].other == add_copies)
      assert(half() == 2 && two[1] == 2);
  }
  return 0;
}
