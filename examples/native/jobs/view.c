/*
 * Files: an overlay in memory over every folder that can be written. An overlay cannot have under
 * it what other file systems are mounted in (in a namespace of users that is refused), so folders
 * with such mounts are gone into, and each folder in them has its own. What lies directly in a
 * folder that was gone into, as in /, is shared by all.
 *
 * Numbers of processes: the process that enters forks, and the child is the first one there; it
 * mounts /proc for these numbers. The parent waits, and the child dies with it.
 */
#include "view.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOUNTS_MAX = 1024, OVERLAYS_MAX = 2048, DEPTH_MAX = 6 };

struct mounted {
  char *path;
  bool plain; /* files that can be written */
};

struct view {
  bool user;
  unsigned overlays;
  struct mounted mounts[MOUNTS_MAX];
  unsigned mount_count;
};

/* ---- what is mounted ---- */

static bool is_virtual(const char *type) {
  static const char *const types[] = {
      "proc",      "sysfs",   "cgroup",     "cgroup2",  "devpts",      "devtmpfs",  "mqueue",
      "debugfs",   "tracefs", "securityfs", "bpf",      "pstore",      "configfs",  "fusectl",
      "hugetlbfs", "autofs",  "nsfs",       "efivarfs", "binfmt_misc", "rpc_pipefs"};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (strcmp(types[i], type) == 0) return true;
  return false;
}

/* \040 is a space, and so on. */
static void unescape(char *text) {
  char *to = text;
  for (const char *from = text; *from != '\0';) {
    unsigned code;
    if (*from == '\\' && sscanf(from + 1, "%3o", &code) == 1) {
      *to++ = (char)code;
      from += 4;
    } else {
      *to++ = *from++;
    }
  }
  *to = '\0';
}

/* Of mounts at one place only the last can be seen. */
static bool read_mounts(struct view *v) {
  char line[3 * PATH_MAX], path[PATH_MAX], options[256], type[64];
  FILE *file = fopen("/proc/self/mountinfo", "re");
  if (file == NULL) return false;
  while (fgets(line, sizeof line, file) != NULL && v->mount_count < MOUNTS_MAX) {
    const char *behind = strstr(line, " - ");
    if (behind == NULL || sscanf(line, "%*s %*s %*s %*s %4095s %255s", path, options) != 2 ||
        sscanf(behind, " - %63s", type) != 1)
      continue;
    unescape(path);
    unsigned at = 0;
    while (at < v->mount_count && strcmp(v->mounts[at].path, path) != 0)
      at++;
    if (at == v->mount_count) v->mounts[v->mount_count++].path = strdup(path);
    v->mounts[at].plain = !is_virtual(type) && strncmp(options, "ro", 2) != 0;
  }
  fclose(file);
  return v->mount_count < MOUNTS_MAX;
}

static const struct mounted *mounted_at(const struct view *v, const char *path) {
  for (unsigned i = 0; i < v->mount_count; i++)
    if (strcmp(v->mounts[i].path, path) == 0) return &v->mounts[i];
  return NULL;
}

static bool has_below(const struct view *v, const char *path) {
  const size_t length = strcmp(path, "/") == 0 ? 0 : strlen(path);
  for (unsigned i = 0; i < v->mount_count; i++) {
    const char *other = v->mounts[i].path;
    if (strncmp(other, path, length) == 0 && other[length] == '/' && other[length + 1] != '\0')
      return true;
  }
  return false;
}

/* ---- overlays ---- */

/* With what would end the path put behind a backslash. */
static void quote(char *to, const char *path) {
  for (; *path != '\0'; path++) {
    if (strchr(":,\\", *path) != NULL) *to++ = '\\';
    *to++ = *path;
  }
  *to = '\0';
}

/* In the folder in memory, which is the working folder: its path may lie below an overlay by now.
 */
static bool make_folder(char name[16], const char *kind, unsigned number, const struct stat *like) {
  snprintf(name, 16, "%s%u", kind, number);
  if (mkdir(name, 0700) != 0) return false;
  return like == NULL ||
         (chmod(name, like->st_mode & 07777) == 0 &&
          (chown(name, like->st_uid, like->st_gid) == 0 || errno == EPERM || errno == EINVAL));
}

/* Over the files of a path, put where another one says. */
static bool overlay(struct view *v, const char *path, const char *at) {
  char upper[16], work[16], lower[2 * PATH_MAX], options[2 * PATH_MAX + 128];
  struct stat information;
  const unsigned number = v->overlays++;
  if (number >= OVERLAYS_MAX || stat(path, &information) != 0) return false;
  if (!make_folder(upper, "u", number, &information)) return false;
  if (!make_folder(work, "w", number, NULL)) return false;
  quote(lower, path);
  snprintf(options, sizeof options, "lowerdir=%s,upperdir=%s,workdir=%s%s", lower, upper, work,
           v->user ? ",userxattr" : "");
  return mount("overlay", at, "overlay", 0, options) == 0;
}

static bool cover(struct view *v, const char *path, unsigned depth);

static bool cover_inside(struct view *v, const char *path, unsigned depth) {
  char inside[PATH_MAX];
  struct stat information;
  bool good = true;
  DIR *folder = depth < DEPTH_MAX ? opendir(path) : NULL;
  if (folder == NULL) return depth < DEPTH_MAX && errno == EACCES;
  for (const struct dirent *entry; good && (entry = readdir(folder)) != NULL;) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    const int length =
        snprintf(inside, sizeof inside, "%s/%s", strcmp(path, "/") == 0 ? "" : path, entry->d_name);
    if (length >= (int)sizeof inside || lstat(inside, &information) != 0) continue;
    if (S_ISDIR(information.st_mode) && mounted_at(v, inside) == NULL)
      good = cover(v, inside, depth + 1);
  }
  closedir(folder);
  return good;
}

static bool cover(struct view *v, const char *path, unsigned depth) {
  return strcmp(path, "/") == 0 || has_below(v, path) ? cover_inside(v, path, depth)
                                                      : overlay(v, path, path);
}

static bool cover_all(struct view *v) {
  bool good = true;
  for (unsigned i = 0; good && i < v->mount_count; i++) {
    struct stat information;
    const struct mounted *m = &v->mounts[i];
    if (m->plain && stat(m->path, &information) == 0 && S_ISDIR(information.st_mode))
      good = cover(v, m->path, 0);
  }
  return good;
}

/* In a namespace of users a folder of somebody else cannot be copied, so that nothing below it
 * could be written: the working folder has an overlay of its own, made in front of the others. */
static bool stage(struct view *v, const char *here) {
  struct stat information;
  if (stat(here, &information) != 0 || mkdir("here", 0700) != 0) return false;
  return has_below(v, here) || overlay(v, here, "here");
}

static bool put_here(const struct view *v, const char *here) {
  char name[32];
  if (!has_below(v, here) && mount("here", here, NULL, MS_BIND, NULL) != 0) return false;
  if (chdir(here) != 0) return false;
  if (access(".", W_OK) != 0) return true;
  snprintf(name, sizeof name, ".unfold-%d", (int)getpid());
  return mkdir(name, 0700) == 0 && rmdir(name) == 0;
}

static bool own_files(const char *folder, bool user) {
  char here[PATH_MAX], upper[PATH_MAX];
  struct view *v = calloc(1, sizeof *v);
  if (v == NULL) return false;
  v->user = user;
  snprintf(upper, sizeof upper, "%.4000s/memory-%d", folder, (int)getpid());
  bool good = getcwd(here, sizeof here) != NULL && read_mounts(v) &&
              (mkdir(upper, 0700) == 0 || errno == EEXIST) &&
              mount("unfold", upper, "tmpfs", MS_NODEV | MS_NOSUID, "mode=0755") == 0 &&
              chdir(upper) == 0 && (!user || stage(v, here)) && cover_all(v) &&
              (user ? put_here(v, here) : chdir(here) == 0);
  for (unsigned i = 0; i < v->mount_count; i++)
    free(v->mounts[i].path);
  free(v);
  return good;
}

/* ---- the other parts ---- */

static bool write_text(const char *path, const char *text) {
  const int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool good = write(file, text, strlen(text)) == (ssize_t)strlen(text);
  close(file);
  return good;
}

/* Gives users and groups the numbers that they have outside. */
static bool own_users(uid_t user, gid_t group) {
  char users[64], groups[64];
  snprintf(users, sizeof users, "%u %u 1", (unsigned)user, (unsigned)user);
  snprintf(groups, sizeof groups, "%u %u 1", (unsigned)group, (unsigned)group);
  return write_text("/proc/self/setgroups", "deny") && write_text("/proc/self/uid_map", users) &&
         write_text("/proc/self/gid_map", groups);
}

static bool bring_up_loopback(void) {
  struct ifreq request = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING};
  const int file = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  const bool good = file >= 0 && ioctl(file, SIOCSIFFLAGS, &request) == 0;
  if (file >= 0) close(file);
  return good;
}

/* Makes a process that ends after this one, and takes the mounts along: that lasts some
 * milliseconds, for which nobody waits then. It has nothing open but a pipe, of which this process
 * alone has the other end; -1: there is none, and this process takes as long to end. */
static int make_keeper(void) {
  int ends[2];
  char byte;
  if (pipe2(ends, O_CLOEXEC) != 0) return -1;
  const pid_t keeper = fork();
  if (keeper == 0) {
    dup2(ends[0], STDIN_FILENO);
    close_range(STDIN_FILENO + 1, ~0u, 0);
    while (read(STDIN_FILENO, &byte, 1) < 0 && errno == EINTR)
      continue;
    _exit(0);
  }
  close(ends[0]);
  return ends[1];
}

/* Comes back in the child. The parent has nothing open but what the keeper waits for, so that the
 * end of the child is seen. */
static bool become_first(int held) {
  int status;
  const pid_t child = fork();
  if (child < 0) return false;
  if (child == 0) {
    if (held >= 0) close(held);
    return prctl(PR_SET_PDEATHSIG, SIGKILL) == 0;
  }
  if (held > STDERR_FILENO + 1) close_range(STDERR_FILENO + 1, (unsigned)held - 1, 0);
  close_range(held > STDERR_FILENO ? (unsigned)held + 1 : STDERR_FILENO + 1, ~0u, 0);
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    continue;
  _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

static bool own_processes(void) {
  return mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) == 0;
}

static bool enter(unsigned parts, const char *folder) {
  const uid_t user = geteuid();
  const gid_t group = getegid();
  const int flags = ((parts & VIEW_FILES) != 0 ? CLONE_NEWNS : 0) |
                    ((parts & VIEW_NAMES) != 0 ? CLONE_NEWIPC : 0) |
                    ((parts & VIEW_NETWORK) != 0 ? CLONE_NEWNET : 0) |
                    ((parts & VIEW_USER) != 0 ? CLONE_NEWUSER : 0);
  if (parts == 0) return true;
  signal(SIGTERM, SIG_IGN);
  if (unshare(flags) != 0) return false;
  if ((parts & VIEW_USER) != 0 && !own_users(user, group)) return false;
  const int held = make_keeper(); /* before numbers of processes are others */
  if ((parts & VIEW_PROCESSES) != 0 && (unshare(CLONE_NEWPID) != 0 || !become_first(held)))
    return false;
  if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) return false;
  if ((parts & VIEW_PROCESSES) != 0 && !own_processes()) return false;
  if ((parts & VIEW_NETWORK) != 0 && !bring_up_loopback()) return false;
  return own_files(folder, (parts & VIEW_USER) != 0);
}

/* ---- what is allowed ---- */

unsigned *view_new(void) {
  unsigned *parts =
      mmap(NULL, sizeof *parts, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (parts == MAP_FAILED) return NULL;
  *parts = VIEW_UNKNOWN;
  return parts;
}

/* Comes back in a child that has the parts, or, with false, in the calling process: they are not
 * allowed. The caller of such a child has nothing open, and ends with it. */
static bool enter_in_child(unsigned *known, unsigned parts, const char *folder) {
  int ends[2], status = 1;
  char byte = 0;
  if (pipe2(ends, O_CLOEXEC) != 0) return false;
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (!enter(parts, folder)) _exit(1);
    *known = parts;
    if (write(ends[1], &byte, 1) != 1) _exit(1);
    close(ends[0]);
    close(ends[1]);
    return true;
  }
  close(ends[1]);
  long got = child > 0 ? read(ends[0], &byte, 1) : 0;
  while (got < 0 && errno == EINTR)
    got = read(ends[0], &byte, 1);
  close(ends[0]);
  if (got == 1) {
    signal(SIGTERM, SIG_IGN);
    close_range(STDERR_FILENO + 1, ~0u, 0);
  }
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
    continue;
  if (got == 1) _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
  return false;
}

bool view_own(unsigned *known, const char *folder) {
  static const unsigned sets[] = {VIEW_FILES | VIEW_NAMES | VIEW_NETWORK | VIEW_PROCESSES,
                                  VIEW_FILES | VIEW_NAMES | VIEW_NETWORK, VIEW_FILES};
  if (*known != VIEW_UNKNOWN) return enter(*known, folder);
  for (unsigned user = 0; user <= VIEW_USER; user += VIEW_USER)
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
      if (enter_in_child(known, sets[i] | user, folder)) return true;
  *known = 0;
  return true;
}

void view_find(unsigned *known, const char *folder) {
  if (*known != VIEW_UNKNOWN) return;
  fflush(NULL);
  const pid_t child = fork();
  if (child == 0) _exit(view_own(known, folder) ? 0 : 1);
  while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
    continue;
}

json_t *view_json(unsigned parts) {
  static const char *const words[] = {"files", "names", "network", "processes"};
  json_t *list = json_array();
  if (parts == VIEW_UNKNOWN) return list;
  for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
    if ((parts >> i & 1) != 0) json_array_append_new(list, json_string(words[i]));
  return list;
}
