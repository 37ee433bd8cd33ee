/* A program that begins without the start-up code of the C library; with -DLIBRARY it uses it all
 * the same. */
#ifdef LIBRARY
#include <pthread.h>
#include <unistd.h>

static void *nothing(void *unused) {
  return unused;
}

__attribute__((force_align_arg_pointer)) void _start(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, nothing, NULL);
  pthread_join(thread, NULL);
  _exit(0);
}
#else
void _start(void) {
  __asm__ volatile("syscall" : : "a"(60), "D"(0));
}
#endif
