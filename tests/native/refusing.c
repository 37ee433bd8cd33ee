/* Runs a command on a system that refuses something: refusing executable COMMAND (memory that was
 * written cannot become executable), refusing filters COMMAND (filters of system calls, as where
 * the system was built without them). */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define COUNT(steps) (sizeof(steps) / sizeof *(steps))
#define LOAD(field)  BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define ANSWER(what) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_##what)

int main(int argc, char **argv) {
  struct sock_filter executable[] = {
      LOAD(nr),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 0, 3),
      LOAD(args[2]),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1),
      ANSWER(ERRNO | EACCES),
      ANSWER(ALLOW),
  };
  struct sock_filter filters[] = {
      LOAD(nr),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_seccomp, 0, 1),
      ANSWER(ERRNO | ENOSYS),
      ANSWER(ALLOW),
  };
  struct sock_fprog filter = {COUNT(filters), filters};
  if (argc < 3) return 2;
  if (strcmp(argv[1], "executable") == 0)
    filter = (struct sock_fprog){COUNT(executable), executable};
  else if (strcmp(argv[1], "filters") != 0)
    return 2;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
    return 2;
  execvp(argv[2], argv + 2);
  return 2;
}
