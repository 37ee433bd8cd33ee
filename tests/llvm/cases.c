/* Small programs for unfold-sym, one for each word. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern long __VERIFIER_nondet_long(void);
extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void klee_make_symbolic(void *, size_t, const char *);
extern void reach_error(void);

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;
static int shared, ready, table[4] = {1, 2, 3, 4};
static atomic_int word;
static __thread int own = 5;

struct large {
  long items[10];
};

static int sum(int count, ...) {
  va_list list;
  int all = 0;
  va_start(list, count);
  while (count-- > 0)
    all += va_arg(list, int);
  va_end(list);
  return all;
}

static long take(struct large l) {
  l.items[0]++;
  return l.items[0] + l.items[9];
}

static struct large make(void) {
  struct large l;
  memset(&l, 0, sizeof l);
  l.items[0] = 4;
  l.items[9] = 6;
  return l;
}

static double half(double x) {
  return x / 2;
}

static int up(int x) {
  return x + 1;
}

static int down(int x) {
  return x - 1;
}

/* What C means, without inputs. */
static void language(void) {
  int (*functions[2])(int) = {up, down};
  struct large l = make();
  assert(sum(3, 1, 2, 3) == 6);
  assert(take(l) == 11 && l.items[0] == 4);
  assert(half(3.0) == 1.5 && (int)half(9) == 4 && (float)half(1) == 0.5f);
  assert(functions[0](3) == 4 && functions[1](3) == 2);
  char *text = malloc(10);
  strcpy(text, "hello");
  assert(strlen(text) == 5 && strcmp(text, "hello") == 0 && memcmp(text, "help", 3) == 0);
  text = realloc(text, 20);
  assert(text[4] == 'o');
  free(text);
  int *zeros = calloc(4, sizeof *zeros);
  assert(zeros[3] == 0);
  free(zeros);
  unsigned char small = 250;
  small += 10;
  assert(small == 4 && (signed char)200 == -56 && -7 / 2 == -3 && -7 % 3 == -1);
  assert((unsigned)-1 / 2 == 0x7fffffff && -8 >> 1 == -4 && 0x80000000u >> 31 == 1);
  assert((unsigned)-1 > 1u && -1 < 1 && (long)(int)0x80000000 < 0);
}

static void outside(void) {
  int *items = malloc(4 * sizeof *items), i = __VERIFIER_nondet_int();
  if (i >= 0 && i < 5) items[i] = 1;
  free(items);
}

/* Far beyond an array are others. */
static void far_outside(void) {
  static int few[4], many[40000];
  many[0] = 1;
  few[120] = many[0];
}

static void index_of_table(void) {
  int i = __VERIFIER_nondet_int();
  __VERIFIER_assume(i >= 0 && i < 4);
  table[i] += 10;
  assert(i == 0 || table[0] == 1);
  assert(table[2] != 13);
}

static int after_free(void) {
  int *item = malloc(sizeof *item);
  *item = 1;
  free(item);
  return *item;
}

/* Nobody gets what is written. */
static void write_beyond(void) {
  char *item = calloc(1, 10);
  int size = __VERIFIER_nondet_int();
  if (size >= 0 && size < 12) fwrite(item, 1, (size_t)size, stdout);
  free(item);
}
static void write_freed(void) {
  char *item = calloc(1, 10);
  free(item);
  write(1, item, 5);
}
/* A text that has no end, if no byte of it is 0. */
static void write_text(void) {
  char *item = malloc(3);
  klee_make_symbolic(item, 3, "item");
  if (item[0] == 'a') printf("%s\n", item);
  free(item);
}
static void break_pipe(void) {
  int ends[2];
  pipe(ends);
  close(ends[0]);
  write(ends[1], "x", 1);
}

/* What is freed takes no memory, and is known to be freed for ever. */
static int *allocate_often(void) {
  int *old = NULL;
  for (int i = 0; i < 20000; i++) {
    int *item = malloc(40 * sizeof *item);
    item[39] = i;
    if (i == 3000) old = item;
    if (i % 4000 == 1) pthread_mutex_lock(&mutex);
    free(item);
    if (i % 4000 == 1) pthread_mutex_unlock(&mutex);
  }
  return old;
}

/* A lock that is a variable of this function is locked twice. */
static void lock_own(void) {
  pthread_mutex_t locks[2];
  pthread_mutex_init(&locks[1], NULL);
  pthread_mutex_lock(&locks[1]);
  pthread_mutex_lock(&locks[1]);
}

static void free_twice(void) {
  int *item = malloc(sizeof *item);
  free(item);
  free(item);
}

static void null(void) {
  int *item = __VERIFIER_nondet_int() == 7 ? NULL : &shared;
  *item = 3;
}

static bool unwritten(void) {
  int items[3], i = __VERIFIER_nondet_int();
  items[0] = 1;
  return i >= 0 && i < 2 && items[i] == 1;
}

static int *gone(int **to) {
  int local = 3;
  *to = &local;
  return NULL;
}

static int left_stack(void) {
  int *item = gone(&item);
  gone(&item);
  return *item;
}

static int divide(void) {
  return 100 / (__VERIFIER_nondet_int() - 13);
}

/* Without sign: 2^64 - 7 and others above the largest number with one. */
static void long_division(void) {
  unsigned long number = (unsigned long)__VERIFIER_nondet_long(), quotient = number / 10;
  __VERIFIER_assume(number > 0xfffffffffffffff0UL);
  assert(quotient * 10 + number % 10 == number && number % 10 < 10);
  assert(quotient != 1844674407370955160UL || number % 10 != 9);
}

static int shift(void) {
  unsigned by = __VERIFIER_nondet_uint();
  return by < 33 ? (int)(1u << by) : 0;
}

static int overflow(void) {
  int number = __VERIFIER_nondet_int();
  return number + 1 > number;
}

/* An access that can begin in an object and end behind it. */
static bool across(void) {
  static char bytes_of[8];
  const int i = __VERIFIER_nondet_int();
  __VERIFIER_assume(i >= 0 && i < 6);
  return *(int *)(bytes_of + i) == 1;
}

/* What is looked up says where to look next, also before the place that it counts from. */
static void through(bool back) {
  static const unsigned char where[3] = {0, 200, 6};
  static int around[400];
  const int i = __VERIFIER_nondet_int();
  __VERIFIER_assume(i >= 0 && i < 3);
  around[328] = around[72] = 9;
  const int by = back ? (signed char)((i & 3) + 199) : where[i];
  assert((around + 128)[by] != 9);
}
static void look_ahead(void) {
  through(false);
}
static void look_back(void) {
  through(true);
}

/* Elements of twelve bytes; unsigned multiples of them reach others where they wrap around. */
static struct { int a, b, c; } records[10];
static void in_records(void) {
  const int i = __VERIFIER_nondet_int();
  __VERIFIER_assume(i >= 0 && i < 10);
  records[3].b = 9;
  assert(records[i].b != 9);
}
static void wraps_around(void) {
  const unsigned long at = sizeof *records * (unsigned long)__VERIFIER_nondet_long();
  __VERIFIER_assume(at == 4);
  records[0].b = 5;
  assert(*(int *)((char *)records + at) == 5);
}

static void *write_item(void *index) {
  table[*(int *)index] = 1;
  return NULL;
}

/* Elements that depend on inputs: one each, or the same for some. */
static void elements(bool differ) {
  int i = __VERIFIER_nondet_int(), j = __VERIFIER_nondet_int();
  pthread_t thread;
  __VERIFIER_assume((i >= 0) & (i < 4) & (j >= 0) & (j < 4) & ((i != j) | !differ));
  pthread_create(&thread, NULL, write_item, &i);
  table[j] = 2;
  pthread_join(thread, NULL);
}
static void apart(void) {
  elements(true);
}
static void together(void) {
  elements(false);
}

static void *release(void *item) {
  free(item);
  return NULL;
}

/* Who frees is not ordered with who writes. */
static void release_early(void) {
  pthread_t thread;
  int *item = malloc(sizeof *item);
  pthread_create(&thread, NULL, release, item);
  *item = 1;
  pthread_join(thread, NULL);
}

static int moved(void) {
  int *item = malloc(sizeof *item);
  *item = 1;
  realloc(item, 2 * sizeof *item);
  return *item;
}

static int grown(void) {
  int *items = malloc(sizeof *items);
  *items = 1;
  items = realloc(items, 2 * sizeof *items);
  return items[0] + items[1];
}

static int copied(void) {
  int from[2], to[2];
  from[0] = 1;
  memcpy(to, from, sizeof to);
  return to[0] + to[1];
}

static int partly(void) {
  char *some = malloc(sizeof(int));
  some[0] = 1;
  return *(int *)some + 1;
}

/* Two inputs, and an operation between them. */
static void once_more(void) {
  const int x = __VERIFIER_nondet_int();
  pthread_mutex_lock(&mutex);
  const int y = __VERIFIER_nondet_int();
  pthread_mutex_unlock(&mutex);
  assert(x != 3 || y != 4);
}

static void bytes(void) {
  unsigned char all[4];
  int number;
  for (int i = 0; i < 4; i++)
    all[i] = __VERIFIER_nondet_uchar();
  memcpy(&number, all, sizeof number);
  assert(number != 0x01020304);
}

static void wide(void) {
  long number;
  klee_make_symbolic(&number, sizeof number, "number");
  assert(number != 0x123456789abcdefL);
}

static void part(void) {
  int number = __VERIFIER_nondet_int();
  unsigned char low = (unsigned char)number;
  if (number >= 256 && number < 512) assert(low != 77);
}

static void *write_if(void *wanted) {
  if (wanted != NULL) shared = 1;
  return NULL;
}

static int race(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, write_if, __VERIFIER_nondet_int() > 5 ? &thread : NULL);
  int seen = shared;
  pthread_join(thread, NULL);
  return seen > 5;
}

static void *wait_ready(void *unused) {
  pthread_mutex_lock(&mutex);
  while (!ready)
    pthread_cond_wait(&condition, &mutex);
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void *set_ready(void *early) {
  if (early != NULL) pthread_cond_signal(&condition);
  pthread_mutex_lock(&mutex);
  ready = 1;
  pthread_mutex_unlock(&mutex);
  if (early == NULL) pthread_cond_signal(&condition);
  return NULL;
}

static void two(void *(*first)(void *), void *one, void *(*second)(void *), void *another) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, first, one);
  pthread_create(&threads[1], NULL, second, another);
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
}

static void *meet(void *unused) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  return unused;
}
static void *use_own_mutex(void *unused) {
  pthread_mutex_t *mine = malloc(sizeof *mine);
  pthread_mutex_init(mine, NULL);
  pthread_mutex_lock(mine);
  pthread_mutex_unlock(mine);
  return unused;
}

/* Each thread has a mutex of its own on the heap: it meets the other one before, or behind. */
static void *meet_and_use(void *unused) {
  return use_own_mutex(meet(unused));
}
static void *use_and_meet(void *unused) {
  pthread_mutex_lock(&other);
  pthread_mutex_unlock(&other);
  return meet(use_own_mutex(unused));
}
static void heaps(void) {
  two(meet_and_use, NULL, use_and_meet, NULL);
}

static void *add_own(void *by) {
  own += (int)(long)by;
  return (void *)(long)own;
}

static void threads_own(void) {
  pthread_t thread;
  void *result;
  pthread_create(&thread, NULL, add_own, (void *)1);
  pthread_join(thread, &result);
  assert((long)result == 6 && own == 5);
}

static void *post(void *unused) {
  sem_post(&semaphore);
  return unused;
}

static void count(int waits) {
  pthread_t thread;
  sem_init(&semaphore, 0, 1);
  pthread_create(&thread, NULL, post, NULL);
  while (waits-- > 0)
    sem_wait(&semaphore);
  pthread_join(thread, NULL);
}

static void *one_way(void *unused) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_lock(&other);
  pthread_mutex_unlock(&other);
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void *other_way(void *number) {
  pthread_mutex_lock(&other);
  if (*(int *)number == 42) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
  }
  pthread_mutex_unlock(&other);
  return NULL;
}

static void deadlock(void) {
  int number = __VERIFIER_nondet_int();
  two(one_way, NULL, other_way, &number);
}

static void *swap(void *to) {
  int expected = 0;
  atomic_compare_exchange_strong(&word, &expected, *(int *)to);
  return NULL;
}

static void swaps(void) {
  int one = __VERIFIER_nondet_int(), another = 2;
  two(swap, &one, swap, &another);
  assert(atomic_load(&word) != 9);
}

static void end_process(void) {
  if (__VERIFIER_nondet_int() == 4) raise(SIGTERM);
}

static void *shared_memory;
static void *release_shared(void *unused) {
  pthread_mutex_lock(&mutex);
  free(shared_memory);
  pthread_mutex_unlock(&mutex);
  return unused;
}
static void free_in_threads(void) {
  shared_memory = malloc(3);
  two(release_shared, NULL, release_shared, NULL);
}

/* Two threads join one, which only one of them can. */
static pthread_t joined;
static void *end(void *unused) {
  return unused;
}
static void *join_it(void *unused) {
  pthread_join(joined, NULL);
  return unused;
}
static void join_twice(void) {
  pthread_create(&joined, NULL, end, NULL);
  two(join_it, NULL, join_it, NULL);
}

/* With -O1 clang would read `shared` before it is known whether that may be done. */
static atomic_int given;
static void *give(void *unused) {
  shared = 42;
  atomic_store(&given, 1);
  return unused;
}
static void take_given(void) {
  pthread_t t;
  pthread_create(&t, NULL, give, NULL);
  if (atomic_load(&given)) assert(shared == 42);
  pthread_join(t, NULL);
}

static void *twice_atomic(void *unused) {
  __VERIFIER_atomic_begin();
  shared++;
  shared++;
  __VERIFIER_atomic_end();
  return unused;
}

static int recurse(int depth) {
  return depth < 0 ? 0 : recurse(depth + 1) + shared;
}

/* Memory that came back: the pair is equal, though the pointer is one to another object. */
struct tagged {
  struct tagged *to;
  long tag;
};
static _Atomic struct tagged top;

static void tagged_again(void) {
  const struct tagged first = {malloc(sizeof first), 1}, none = {NULL, 0};
  __c11_atomic_store(&top, first, __ATOMIC_SEQ_CST);
  free(first.to);
  struct tagged again = {malloc(sizeof again), 1};
  assert(again.to == first.to);
  assert(
      __c11_atomic_compare_exchange_strong(&top, &again, none, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
  const struct tagged last = __c11_atomic_load(&top, __ATOMIC_SEQ_CST);
  assert(last.to == NULL);
  free(again.to);
}

/* Of two threads one or both come to the second attempt. */
static void *tagged_pop(void *unused) {
  struct tagged was = __c11_atomic_load(&top, __ATOMIC_SEQ_CST), next;
  do
    next = (struct tagged){was.to->to, was.tag + 1};
  while (
      !__c11_atomic_compare_exchange_strong(&top, &was, next, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
  return unused;
}

static void tagged_pops(void) {
  static struct tagged items[2];
  items[0].to = &items[1];
  const struct tagged first = {&items[0], 0};
  __c11_atomic_store(&top, first, __ATOMIC_SEQ_CST);
  two(tagged_pop, NULL, tagged_pop, NULL);
  const struct tagged last = __c11_atomic_load(&top, __ATOMIC_SEQ_CST);
  assert(last.to == NULL && last.tag == 2);
}

/* The largest of what two threads have, in either order. */
static void *raise_to(void *to) {
  static _Atomic int most;
  __c11_atomic_fetch_max(&most, *(int *)to, __ATOMIC_SEQ_CST);
  return &most;
}

static void two_raise(void) {
  int one = 1, x = __VERIFIER_nondet_int();
  two(raise_to, &one, raise_to, &x);
  const int zero = 0, most = *(_Atomic int *)raise_to((int *)&zero);
  assert(most >= 1 && most >= x && (most == 1 || most == x));
}

/* What nobody reads is dropped; a text that somebody has must be known. */
static int print_floating(void) {
  char text[100];
  long double x;
  klee_make_symbolic(&x, 10, "x");
  printf("%Lf %d\n", x, 5);
  return sprintf(text, "%Lf", x);
}

#ifdef UNDEFINED
extern int undefined_variable; /* which no file defines; natively it could not be linked */
#endif
static _Float16 binary16 = 1.5f16;
static __bf16 brain = 1.5f16;
static __float128 quadruple = 2;

static const struct {
  const char *word;
  void (*function)(void);
} plain[] = {{"language", language},
             {"outside", outside},
             {"far-outside", far_outside},
             {"index", index_of_table},
             {"twice", free_twice},
             {"null", null},
             {"bytes", bytes},
             {"wide", wide},
             {"part", part},
             {"own", threads_own},
             {"deadlock", deadlock},
             {"swaps", swaps},
             {"error", reach_error},
             {"long-division", long_division},
             {"look-ahead", look_ahead},
             {"look-back", look_back},
             {"records", in_records},
             {"around", wraps_around},
             {"apart", apart},
             {"heaps", heaps},
             {"together", together},
             {"early-free", release_early},
             {"lock own", lock_own},
             {"once-more", once_more},
             {"raise", end_process},
             {"free in threads", free_in_threads},
             {"join twice", join_twice},
             {"given", take_given},
             {"write beyond", write_beyond},
             {"write freed", write_freed},
             {"write text", write_text},
             {"tagged again", tagged_again},
             {"tagged pops", tagged_pops},
             {"two raise", two_raise},
             {"break pipe", break_pipe}};

int main(int argc, char **argv) {
  const char *word_of = argc > 1 ? argv[1] : "";
  for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
    if (strcmp(word_of, plain[i].word) == 0) plain[i].function();
  if (strcmp(word_of, "freed") == 0) return after_free();
  if (strcmp(word_of, "often") == 0) return allocate_often() == NULL;
  if (strcmp(word_of, "long ago") == 0) return allocate_often()[3];
  if (strcmp(word_of, "once more") == 0) free(allocate_often());
  if (strcmp(word_of, "unwritten") == 0) return unwritten();
  if (strcmp(word_of, "across") == 0) return across();
  if (strcmp(word_of, "moved") == 0) return moved();
  if (strcmp(word_of, "grown") == 0) return grown();
  if (strcmp(word_of, "copied") == 0) return copied();
  if (strcmp(word_of, "partly") == 0) return partly();
  if (strcmp(word_of, "stack") == 0) return left_stack();
  if (strcmp(word_of, "divide") == 0) return divide();
  if (strcmp(word_of, "shift") == 0) return shift();
  if (strcmp(word_of, "overflow") == 0) return overflow();
  if (strcmp(word_of, "race") == 0) return race();
  if (strcmp(word_of, "wait") == 0) two(wait_ready, NULL, set_ready, NULL);
  if (strcmp(word_of, "early") == 0) two(wait_ready, NULL, set_ready, &mutex);
  if (strcmp(word_of, "count") == 0) count(2);
  if (strcmp(word_of, "too-often") == 0) count(3);
  if (strcmp(word_of, "atomic") == 0) two(twice_atomic, NULL, twice_atomic, NULL);
  if (strcmp(word_of, "stranger") == 0) pthread_mutex_unlock(&mutex);
  if (strcmp(word_of, "system") == 0) return system("true");
  if (strcmp(word_of, "assembly") == 0) __asm__ volatile("nop");
  if (strcmp(word_of, "cancel") == 0) pthread_cancel(pthread_self());
  if (strcmp(word_of, "half") == 0) return binary16 > 1;
  if (strcmp(word_of, "bfloat") == 0) return brain > 1;
  if (strcmp(word_of, "fp128") == 0) return (int)(quadruple * argc);
#ifdef UNDEFINED
  if (strcmp(word_of, "undefined") == 0) return undefined_variable;
#endif
  if (strcmp(word_of, "floating") == 0) return __VERIFIER_nondet_int() * 0.5 > 2;
  if (strcmp(word_of, "long floating") == 0) return __VERIFIER_nondet_int() * 0.5L > 2;
  if (strcmp(word_of, "print floating") == 0) return print_floating();
  if (strcmp(word_of, "recursion") == 0) return recurse(argc);
  return 0;
}
