/* Preloaded into unfold: a machine with 20 MiB. */
#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

long sysconf(int name) {
  long (*behind)(int);
  void *function = dlsym(RTLD_NEXT, "sysconf");
  memcpy(&behind, &function, sizeof behind);
  return name == _SC_PHYS_PAGES ? (20 << 20) / behind(_SC_PAGESIZE) : behind(name);
}
