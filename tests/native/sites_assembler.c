/* Two threads add to one variable by code of an assembler (sites_assembler.S), which may come from
 * a module that is loaded when the program runs. With the word wrong the sum is asserted. */
#include <assert.h>
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#ifdef LOADED
static void (*add)(int *word);
#elif defined HIDDEN
extern void (*add_pointer)(int *word);
#define add add_pointer
#else
void add_one(int *word);
#define add add_one
#endif

static int count;

static void *work(void *unused) {
  add(&count);
  return unused;
}

int main(int argc, char **argv) {
  pthread_t threads[2];
#ifdef LOADED
  void *module = dlopen("./libadd.so", RTLD_NOW);
  add = (void (*)(int *))dlsym(module, "add_one");
#endif
  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  assert(argc == 1 || strcmp(argv[1], "wrong") != 0 || count == 2);
  return 0;
}
