/* Small programs in the style of SV-COMP's categories of threads, one for each word, right and
 * wrong (-wrong). verdicts.py has what each of them is. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void reach_error(void);

typedef void *body(void *);
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static sem_t semaphore;
static int data, other, input, items[4];
static bool wrong;
static atomic_int a, b, turn, flags[2];

static void lock(void) {
  pthread_mutex_lock(&m);
}
static void unlock(void) {
  pthread_mutex_unlock(&m);
}

/* Runs the functions, of which the last one is NULL, as threads. */
static void run(body *first, body *second, body *third) {
  body *const all[] = {first, second, third};
  pthread_t threads[3];
  int count = 0;
  for (; count < 3 && all[count] != NULL; count++)
    pthread_create(&threads[count], NULL, all[count], (void *)(long)count);
  while (count-- > 0)
    pthread_join(threads[count], NULL);
}

static int between(int low, int high) {
  const int x = __VERIFIER_nondet_int();
  __VERIFIER_assume(x >= low && x <= high);
  return x;
}

/* ---- counters under locks ---- */

static void *add_one(void *unused) {
  lock();
  data += 1;
  unlock();
  return unused;
}
static void *add_input(void *unused) {
  lock();
  data += input;
  unlock();
  return unused;
}
static void *check_lazy(void *unused) {
  lock();
  if (data >= 3) reach_error();
  unlock();
  return unused;
}
static void lazy(void) {
  input = between(0, wrong ? 2 : 1);
  run(add_one, add_input, check_lazy);
}
static void sum(void) {
  input = between(-5, 5);
  run(add_input, add_input, add_one);
  assert(data == 2 * input + (wrong ? input == 4 ? 2 : 1 : 1));
}
static void *add_other_lock(void *unused) {
  pthread_mutex_lock(wrong ? &n : &m);
  data += 1;
  pthread_mutex_unlock(wrong ? &n : &m);
  return unused;
}
static void wrong_lock(void) {
  run(add_one, add_other_lock, NULL);
}
static void *read_then_add(void *unused) {
  lock();
  const int seen = data;
  if (wrong) {
    unlock();
    lock();
  }
  data = seen + 1;
  unlock();
  return unused;
}
static void split(void) {
  run(read_then_add, read_then_add, NULL);
  assert(data == 2);
}
static void *withdraw(void *unused) {
  lock();
  bool enough = data >= input;
  if (wrong) {
    unlock();
    lock();
  }
  if (enough) data -= input;
  assert(data >= 0);
  unlock();
  return unused;
}
static void account(void) {
  data = 10;
  input = between(0, 20);
  run(withdraw, withdraw, NULL);
}

/* ---- atomics ---- */

static void *fibonacci(void *which) {
  for (int i = 0; i < 2; i++) {
    if (which == NULL)
      atomic_fetch_add(&a, atomic_load(&b));
    else
      atomic_fetch_add(&b, atomic_load(&a));
  }
  return NULL;
}
static void fib(void) {
  atomic_store(&a, 1);
  atomic_store(&b, 1);
  run(fibonacci, fibonacci, NULL);
  const int most = wrong ? 7 : 8;
  assert(atomic_load(&a) <= most && atomic_load(&b) <= most);
}
static void *peterson(void *number) {
  const int me = (int)(long)number;
  if (!wrong) atomic_store(&flags[me], 1);
  atomic_store(&turn, 1 - me);
  __VERIFIER_assume(!atomic_load(&flags[1 - me]) || atomic_load(&turn) == me);
  atomic_store(&a, me);
  assert(atomic_load(&a) == me);
  atomic_store(&flags[me], 0);
  return NULL;
}
static void mutual(void) {
  run(peterson, peterson, NULL);
}
static void *spin(void *unused) {
  int expected = 0;
  if (wrong) {
    __VERIFIER_assume(atomic_load(&a) == 0);
    atomic_store(&a, 1);
  } else {
    __VERIFIER_assume(atomic_compare_exchange_strong(&a, &expected, 1));
  }
  atomic_fetch_add(&b, 1);
  assert(atomic_load(&b) == 1);
  atomic_fetch_sub(&b, 1);
  atomic_store(&a, 0);
  return unused;
}
static void spin_lock(void) {
  run(spin, spin, NULL);
}
static void *ticket(void *unused) {
  const int mine = atomic_fetch_add(&a, wrong ? 0 : 1);
  __VERIFIER_assume(atomic_load(&turn) == mine);
  atomic_store(&b, mine);
  assert(atomic_fetch_add(&b, 1) == mine);
  atomic_fetch_add(&turn, 1);
  return unused;
}
static void tickets(void) {
  run(ticket, ticket, NULL);
}
static void *send(void *unused) {
  data = 42;
  atomic_store(&a, 1);
  return unused;
}
static void *receive(void *unused) {
  if (wrong || atomic_load(&a) == 1) assert(data == 42);
  return unused;
}
static void message(void) {
  run(send, receive, NULL);
}
static void *set_both(void *unused) {
  if (!wrong) __VERIFIER_atomic_begin();
  atomic_store(&a, 1);
  atomic_store(&b, -1);
  if (!wrong) __VERIFIER_atomic_end();
  return unused;
}
static void *check_both(void *unused) {
  if (!wrong) __VERIFIER_atomic_begin();
  const int x = atomic_load(&a), y = atomic_load(&b);
  if (!wrong) __VERIFIER_atomic_end();
  assert((x == 0 && y == 0) || (x == 1 && y == -1));
  return unused;
}
static void reorder(void) {
  run(set_both, check_both, NULL);
}
static void *claim(void *number) {
  int expected = 0;
  const int key = input % 2;
  if (wrong)
    atomic_store(&flags[key], 1 + (int)(long)number);
  else if (!atomic_compare_exchange_strong(&flags[key], &expected, 1 + (int)(long)number))
    atomic_store(&flags[1 - key], 1 + (int)(long)number);
  return NULL;
}
static void indexer(void) {
  input = between(0, 3);
  run(claim, claim, NULL);
  assert(atomic_load(&flags[0]) != 0 && atomic_load(&flags[1]) != 0);
}

/* ---- condition variables, semaphores, barriers, rwlocks ---- */

static void *produce(void *unused) {
  lock();
  data = 7;
  if (!wrong) pthread_cond_signal(&changed);
  unlock();
  return unused;
}
static void *consume(void *unused) {
  lock();
  while (data == 0)
    pthread_cond_wait(&changed, &m);
  assert(data == 7);
  unlock();
  return unused;
}
static void wakeup(void) {
  run(produce, consume, NULL);
}
static void *consume_once(void *unused) {
  lock();
  if (data == 0) pthread_cond_wait(&changed, &m);
  if (wrong) assert(data > 0);
  if (data > 0) data--;
  unlock();
  return unused;
}
static void *produce_one(void *unused) {
  lock();
  data++;
  pthread_cond_broadcast(&changed);
  unlock();
  return unused;
}
static void stolen(void) {
  run(consume_once, consume_once, produce_one);
}
static void *waits_shortly(void *unused) {
  struct timespec until;
  int error = 0;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec++;
  lock();
  while (data == 0 && error == 0)
    error = pthread_cond_timedwait(&changed, &m, &until);
  if (wrong || error == 0) assert(data == 1);
  unlock();
  return unused;
}
static void timeout(void) {
  run(waits_shortly, produce_one, NULL);
}
static void *inside(void *unused) {
  sem_wait(&semaphore);
  assert(atomic_fetch_add(&a, 1) == 0);
  atomic_fetch_sub(&a, 1);
  sem_post(&semaphore);
  return unused;
}
static void gate(void) {
  sem_init(&semaphore, 0, wrong ? 2 : 1);
  run(inside, inside, NULL);
}
static void *phase(void *number) {
  const int me = (int)(long)number;
  items[me] = me + 1;
  if (!wrong) pthread_barrier_wait(&barrier);
  assert(items[1 - me] == 2 - me);
  return NULL;
}
static void phases(void) {
  pthread_barrier_init(&barrier, NULL, 2);
  run(phase, phase, NULL);
}
static void *write_table(void *unused) {
  if (wrong)
    pthread_rwlock_rdlock(&table);
  else
    pthread_rwlock_wrlock(&table);
  data++;
  other++;
  pthread_rwlock_unlock(&table);
  return unused;
}
static void *read_table(void *unused) {
  pthread_rwlock_rdlock(&table);
  assert(data == other);
  pthread_rwlock_unlock(&table);
  return unused;
}
static void readers(void) {
  run(write_table, read_table, read_table);
}
static void initialise(void) {
  data++;
}
static void *use_once(void *unused) {
  if (wrong)
    initialise();
  else
    pthread_once(&once, initialise);
  assert(data == 1);
  return unused;
}
static void singleton(void) {
  run(use_once, use_once, NULL);
}
static void *try_add(void *unused) {
  if (pthread_mutex_trylock(&m) == 0) {
    data++;
    unlock();
  } else {
    atomic_fetch_add(&a, 1);
  }
  return unused;
}
static void tries(void) {
  run(try_add, try_add, NULL);
  assert(data + atomic_load(&a) == 2 && (!wrong || data == 2));
}

/* ---- deadlocks ---- */

static void *one_way(void *unused) {
  lock();
  pthread_mutex_lock(&n);
  pthread_mutex_unlock(&n);
  unlock();
  return unused;
}
static void *either_way(void *unused) {
  const bool first = !wrong || input != 13;
  pthread_mutex_lock(first ? &m : &n);
  pthread_mutex_lock(first ? &n : &m);
  pthread_mutex_unlock(&n);
  pthread_mutex_unlock(&m);
  return unused;
}
static void order(void) {
  input = __VERIFIER_nondet_int();
  run(one_way, either_way, NULL);
}

/* ---- memory ---- */

static int *shared;

static void *release(void *unused) {
  lock();
  free(shared);
  shared = NULL;
  unlock();
  return unused;
}
static void *use(void *unused) {
  lock();
  if (wrong || shared != NULL) *shared += 1;
  unlock();
  return unused;
}
static void lifetime(void) {
  shared = calloc(1, sizeof *shared);
  run(release, use, NULL);
}
static void *release_again(void *unused) {
  int *mine = shared;
  lock();
  if (wrong) {
    free(mine);
  } else {
    free(shared);
    shared = NULL;
  }
  unlock();
  return unused;
}
static void freed_twice(void) {
  shared = malloc(4);
  if (wrong)
    run(release_again, release_again, NULL);
  else
    release_again(NULL);
}
static void *store_at(void *unused) {
  lock();
  items[data % (wrong ? 5 : 4)] = 1;
  unlock();
  return unused;
}
static void bounds(void) {
  data = between(0, 3);
  run(add_one, store_at, NULL);
}
static char *text;

static void *make_text(void *unused) {
  lock();
  text = malloc(6);
  unlock();
  return unused;
}
static void *fill_text(void *unused) {
  lock();
  if (wrong || text != NULL) strcpy(text, "hello");
  unlock();
  return unused;
}
static void bigshot(void) {
  run(make_text, fill_text, NULL);
}

/* ---- races ---- */

static void *race_if(void *unused) {
  if (wrong && input == 7) data = 1;
  return unused;
}
static void race(void) {
  input = between(0, 9);
  run(race_if, race_if, NULL);
}
static void *plain_add(void *unused) {
  data++;
  return unused;
}
static void joined(void) {
  pthread_t t;
  pthread_create(&t, NULL, plain_add, NULL);
  if (wrong) data++;
  pthread_join(t, NULL);
  data++;
}

/* ---- structures ---- */

static int queue[3], head, tail;

static void *enqueue(void *unused) {
  for (int i = 0; i < 2; i++) {
    lock();
    if (tail - head < 2) queue[tail++ % (wrong ? 1 : 3)] = input + i;
    unlock();
  }
  return unused;
}
static void *dequeue(void *unused) {
  int last = input - 1;
  for (int i = 0; i < 2; i++) {
    lock();
    if (head < tail) {
      const int item = queue[head++ % (wrong ? 1 : 3)];
      assert(item == last + 1);
      last = item;
    }
    unlock();
  }
  return unused;
}
static void fifo(void) {
  input = between(0, 100);
  run(enqueue, dequeue, NULL);
}
static void *push(void *unused) {
  for (int i = 0; i < 2; i++) {
    lock();
    items[data++] = i;
    unlock();
  }
  return unused;
}
static void *pop(void *unused) {
  for (int i = 0; i < 2; i++) {
    lock();
    if (data > 0 || (wrong && i == 1)) assert(items[--data] < 2 && data >= 0);
    unlock();
  }
  return unused;
}
static void stack(void) {
  run(push, pop, NULL);
}

/* ---- inputs ---- */

static void *parse(void *unused) {
  const long number = strtol(text, NULL, 10);
  lock();
  data += (int)number;
  unlock();
  return unused;
}
static void parsed(void) {
  static char digits[3];
  digits[0] = (char)__VERIFIER_nondet_uchar();
  digits[1] = (char)__VERIFIER_nondet_uchar();
  __VERIFIER_assume(digits[0] >= '0' && digits[0] <= '9' && digits[1] >= '0' && digits[1] <= '9');
  text = digits;
  run(parse, add_one, NULL);
  assert(data != (wrong ? 73 : 101));
}
static void *grow(void *unused) {
  lock();
  data = data + input;
  unlock();
  return unused;
}
static void overflow(void) {
  data = 2000000000;
  input = between(0, wrong ? 100000000 : 70000000);
  run(grow, grow, NULL);
}

static const struct {
  const char *word;
  void (*function)(void);
} cases[] = {{"lazy", lazy},
             {"sum", sum},
             {"wrong-lock", wrong_lock},
             {"split", split},
             {"account", account},
             {"fib", fib},
             {"mutual", mutual},
             {"spin-lock", spin_lock},
             {"tickets", tickets},
             {"message", message},
             {"reorder", reorder},
             {"indexer", indexer},
             {"wakeup", wakeup},
             {"stolen", stolen},
             {"timeout", timeout},
             {"gate", gate},
             {"phases", phases},
             {"readers", readers},
             {"singleton", singleton},
             {"tries", tries},
             {"order", order},
             {"lifetime", lifetime},
             {"freed-twice", freed_twice},
             {"bounds", bounds},
             {"bigshot", bigshot},
             {"race", race},
             {"joined", joined},
             {"fifo", fifo},
             {"stack", stack},
             {"parsed", parsed},
             {"overflow", overflow}};

int main(int argc, char **argv) {
  wrong = argc > 2;
  for (size_t i = 0; argc > 1 && i < sizeof cases / sizeof *cases; i++)
    if (strcmp(argv[1], cases[i].word) == 0) {
      cases[i].function();
      return 0;
    }
  return 1;
}
