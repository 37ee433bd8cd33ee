/* GLib's locks, conditions and pools: glib CASE [wrong]. */
#include <assert.h>
#include <glib.h>
#include <pthread.h>
#include <string.h>

static gboolean wrong;
static GMutex first, second;
static GCond ready;
static gboolean sent;
static int count;

static void *there(void *unused) {
  g_mutex_lock(&first);
  g_mutex_lock(&second);
  count++;
  g_mutex_unlock(&second);
  g_mutex_unlock(&first);
  return unused;
}

/* Wrong: the locks are taken in the other order. */
static void *back(void *unused) {
  g_mutex_lock(wrong ? &second : &first);
  g_mutex_lock(wrong ? &first : &second);
  count++;
  g_mutex_unlock(wrong ? &first : &second);
  g_mutex_unlock(wrong ? &second : &first);
  return unused;
}

static void mutex(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, there, NULL);
  pthread_create(&b, NULL, back, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(count == 2);
}

/* Wrong: it is said first, and done later. */
static gpointer send(gpointer unused) {
  if (wrong) g_cond_signal(&ready);
  g_mutex_lock(&first);
  sent = TRUE;
  if (!wrong) g_cond_signal(&ready);
  g_mutex_unlock(&first);
  return unused;
}

static void condition(void) {
  GThread *a = g_thread_new("a", send, NULL);
  g_mutex_lock(&first);
  while (!sent)
    g_cond_wait(&ready, &first);
  g_mutex_unlock(&first);
  g_thread_join(a);
}

static void add(gpointer item, gpointer unused) {
  (void)item, (void)unused;
  g_atomic_int_inc(&count);
}

/* Wrong: its end is not waited for. */
static void pool(void) {
  GThreadPool *threads = g_thread_pool_new(add, NULL, 1, TRUE, NULL);
  g_thread_pool_push(threads, &count, NULL);
  g_thread_pool_free(threads, FALSE, !wrong);
  assert(g_atomic_int_add(&count, 0) == 1);
}

int main(int argc, char **argv) {
  wrong = argc > 2;
  if (strcmp(argv[1], "mutex") == 0) mutex();
  if (strcmp(argv[1], "condition") == 0) condition();
  if (strcmp(argv[1], "pool") == 0) pool();
}
