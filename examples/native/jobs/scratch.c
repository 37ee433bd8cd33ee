/*
 * A folder is locked by whoever made it, and by the processes that were forked since: a lock of
 * that kind goes with the last of them, however they end. So a folder that can be locked is one
 * that a process left which was killed.
 */
#include "scratch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define PREFIX "unfold-jobs-"

static const char *find_temporary(void) {
  const char *temporary = getenv("TMPDIR");
  return temporary != NULL && temporary[0] != '\0' ? temporary : "/tmp";
}

static int remove_one(const char *path, const struct stat *information, int kind,
                      struct FTW *where) {
  (void)information, (void)kind, (void)where;
  return remove(path);
}

static void remove_all(const char *path) {
  nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

/* Locks a folder; -1: it is no folder of this user, cannot be locked, or, with EWOULDBLOCK,
 * somebody has it. */
static int take_lock(const char *path) {
  struct stat information;
  const int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) return -1;
  if (fstat(folder, &information) == 0 && information.st_uid == geteuid() &&
      flock(folder, LOCK_EX | LOCK_NB) == 0)
    return folder;
  const int why = errno;
  close(folder);
  errno = why;
  return -1;
}

static void remove_left(const char *temporary) {
  DIR *folder = opendir(temporary);
  if (folder == NULL) return;
  for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    char path[PATH_MAX];
    if (strncmp(entry->d_name, PREFIX, sizeof PREFIX - 1) != 0) continue;
    if (snprintf(path, sizeof path, "%s/%s", temporary, entry->d_name) >= (int)sizeof path)
      continue;
    const int lock = take_lock(path);
    if (lock < 0) continue;
    remove_all(path);
    close(lock);
  }
  closedir(folder);
}

bool scratch_make(struct scratch *s) {
  struct stat here, there;
  const char *temporary = find_temporary();
  remove_left(temporary);
  /* Between the two calls another process may have taken it for one that is left. */
  for (;;) {
    snprintf(s->path, sizeof s->path, "%s/" PREFIX "XXXXXX", temporary);
    if (mkdtemp(s->path) == NULL) return false;
    s->lock = take_lock(s->path);
    if (s->lock < 0 && errno == EWOULDBLOCK) continue;
    if (s->lock < 0) return true; /* nobody can lock it, so nobody removes it */
    if (stat(s->path, &there) == 0 && fstat(s->lock, &here) == 0 && here.st_ino == there.st_ino)
      return true;
    close(s->lock);
  }
}

void scratch_remove(struct scratch *s) {
  remove_all(s->path);
  if (s->lock >= 0) close(s->lock);
}
