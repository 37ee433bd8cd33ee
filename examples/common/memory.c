/* Control groups limit what is in them, and in groups below. Their files have one place in version
 * 2 of the interface and another in version 1 (cgroups(7)); a container sees its own group as the
 * uppermost one. */
#include "memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PATH_SIZE = 4096 };

/* A number in a file makes the limit smaller; anything else, such as "max", does not. */
static void lower(uint64_t *limit, const char *path) {
  uint64_t value;
  FILE *file = fopen(path, "r");
  if (file == NULL) return;
  if (fscanf(file, "%" SCNu64, &value) == 1 && value > 0 && value < *limit) *limit = value;
  fclose(file);
}

/* The limits of a group and of those that it is in. */
static void lower_by_group(uint64_t *limit, const char *root, char *group, const char *name) {
  char path[2 * PATH_SIZE];
  group[strcspn(group, "\n")] = '\0';
  for (char *slash = group + strlen(group); slash != NULL; slash = strrchr(group, '/')) {
    *slash = '\0';
    snprintf(path, sizeof path, "%s%s/%s", root, group, name);
    lower(limit, path);
  }
}

uint64_t cli_memory(void) {
  long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || size <= 0) return 0;
  uint64_t limit = (uint64_t)pages * (uint64_t)size;
  char line[PATH_SIZE];
  FILE *file = fopen("/proc/self/cgroup", "r");
  while (file != NULL && fgets(line, sizeof line, file) != NULL) {
    char *kinds = strchr(line, ':'), *group = kinds != NULL ? strchr(kinds + 1, ':') : NULL;
    if (group == NULL) continue;
    *group++ = '\0';
    if (kinds[1] == '\0')
      lower_by_group(&limit, "/sys/fs/cgroup", group, "memory.max");
    else if (strcmp(kinds + 1, "memory") == 0)
      lower_by_group(&limit, "/sys/fs/cgroup/memory", group, "memory.limit_in_bytes");
  }
  if (file != NULL) fclose(file);
  return limit;
}
