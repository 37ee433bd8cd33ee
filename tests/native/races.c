/* Small programs for run_races.py, compiled with callbacks: the first argument says which. Lines
 * with a race end in a comment that names them. */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t semaphore;
static int counter, flag;
static char text[64];
static struct {
  char a, b;
  unsigned low : 4, high : 4;
} packed;
static struct large { long words[12]; } one, two;
static int *shared;

typedef void *body(void *);

/* Runs both beside each other; the arguments are shared by both. */
static void both(body *left, body *right, void *argument) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, left, argument);
  pthread_create(&threads[1], NULL, right, argument);
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
}

static void *under_mutex(void *unused) {
  pthread_mutex_lock(&mutex);
  counter++;
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void *increments(void *unused) {
  counter++; /* increment */
  return unused;
}

static void *reads_it(void *unused) {
  return counter == 7 ? NULL : unused; /* look */
}

static void *first_letter(void *unused) {
  packed.a++;
  return unused;
}

static void *second_letter(void *unused) {
  packed.b++;
  return unused;
}

static void *low_bits(void *unused) {
  packed.low++; /* low */
  return unused;
}

static void *high_bits(void *unused) {
  packed.high++; /* high */
  return unused;
}

static void *allocates(void *unused) {
  int *block = malloc(sizeof *block);
  *block = 1;
  free(block);
  return unused;
}

static void *releases(void *unused) {
  free(shared); /* free */
  return unused;
}

static void *uses(void *unused) {
  return *shared == 7 ? NULL : unused; /* use */
}

static void *copies_in(void *unused) {
  memcpy(text, "abc", 4); /* memcpy */
  return unused;
}

static void *measures(void *unused) {
  return strlen(text) == 40 ? NULL : unused; /* strlen */
}

static void *sets_far(void *unused) {
  memset(text + 32, 'x', 8);
  return unused;
}

static void *assigns(void *unused) {
  one = two; /* assign */
  return unused;
}

static void *touches_last(void *unused) {
  one.words[11] = 1; /* last */
  return unused;
}

static void *writes_argument(void *argument) {
  *(int *)argument = 1; /* argument */
  return NULL;
}

static void *own_stack(void *unused) {
  int here[4] = {0};
  memset(here, 1, sizeof here);
  return here[2] == 7 ? NULL : unused;
}

static void *sets_and_crashes(void *unused) {
  counter = 1; /* set */
  pthread_mutex_lock(&mutex);
  *(volatile int *)8 = 1;
  return unused;
}

static void *decides(void *unused) {
  pthread_mutex_t *which = flag ? &mutex : &other; /* decide */
  pthread_mutex_lock(which);
  pthread_mutex_unlock(which);
  return unused;
}

static void *raises(void *unused) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  flag = 1; /* raise */
  pthread_mutex_lock(&other);
  pthread_mutex_unlock(&other);
  return unused;
}

static void *announces(void *unused) {
  counter = 3;
  pthread_mutex_lock(&mutex);
  flag = 1;
  pthread_cond_signal(&condition);
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void *is_told(void *unused) {
  pthread_mutex_lock(&mutex);
  while (flag == 0)
    pthread_cond_wait(&condition, &mutex);
  pthread_mutex_unlock(&mutex);
  return counter == 7 ? NULL : unused;
}

static void *posts(void *unused) {
  counter = 3;
  sem_post(&semaphore);
  return unused;
}

static void *takes(void *unused) {
  sem_wait(&semaphore);
  return counter == 7 ? NULL : unused;
}

/* The semaphore begins at 1, so that it orders nothing. */
static void *takes_at_once(void *unused) {
  sem_wait(&semaphore);
  return counter == 7 ? NULL : unused; /* take */
}

static void *posts_late(void *unused) {
  counter = 3; /* post */
  sem_post(&semaphore);
  return unused;
}

static void *for_reading(void *unused) {
  pthread_rwlock_rdlock(&lock);
  counter++; /* reader */
  pthread_rwlock_unlock(&lock);
  return unused;
}

static void *for_writing(void *unused) {
  pthread_rwlock_wrlock(&lock);
  counter++;
  pthread_rwlock_unlock(&lock);
  return unused;
}

static void *before_barrier(void *unused) {
  counter = 4;
  pthread_barrier_wait(&barrier);
  return unused;
}

static void *behind_barrier(void *unused) {
  pthread_barrier_wait(&barrier);
  return counter == 7 ? NULL : unused;
}

static void with_barrier(void) {
  pthread_barrier_init(&barrier, NULL, 2);
  both(before_barrier, behind_barrier, NULL);
}

static void with_semaphore(void) {
  sem_init(&semaphore, 0, 0);
  both(posts, takes, NULL);
}

static void with_full_semaphore(void) {
  sem_init(&semaphore, 0, 1);
  both(posts_late, takes_at_once, NULL);
}

static void on_heap(void) {
  shared = malloc(sizeof *shared);
  *shared = 3;
  both(releases, uses, NULL);
}

static void on_stack(void) {
  int here = 0;
  both(writes_argument, writes_argument, &here);
}

static void after_join(void) {
  both(under_mutex, under_mutex, NULL);
  counter++;
}

static void before_join(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, increments, NULL);
  counter = 5; /* before */
  pthread_join(thread, NULL);
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    body *left, *right;
  } pairs[] = {{"ordered", under_mutex, under_mutex},
               {"increment", increments, increments},
               {"half", under_mutex, reads_it},
               {"letters", first_letter, second_letter},
               {"bits", low_bits, high_bits},
               {"reuse", allocates, allocates},
               {"copy", copies_in, measures},
               {"far", copies_in, sets_far},
               {"assign", assigns, touches_last},
               {"own", own_stack, own_stack},
               {"crash", sets_and_crashes, reads_it},
               {"told", announces, is_told},
               {"readers", for_reading, for_reading},
               {"writers", for_writing, for_reading},
               {"flow", decides, raises}};
  static const struct {
    const char *name;
    void (*run)(void);
  } others[] = {
      {"heap", on_heap},         {"stack", on_stack},           {"after", after_join},
      {"barrier", with_barrier}, {"semaphore", with_semaphore}, {"full", with_full_semaphore},
      {"join", before_join}};
  for (size_t i = 0; argc > 1 && i < sizeof pairs / sizeof *pairs; i++)
    if (strcmp(argv[1], pairs[i].name) == 0) both(pairs[i].left, pairs[i].right, NULL);
  for (size_t i = 0; argc > 1 && i < sizeof others / sizeof *others; i++)
    if (strcmp(argv[1], others[i].name) == 0) others[i].run();
  return 0;
}
