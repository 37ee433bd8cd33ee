/* System calls that the kernel hands to us. A filter (seccomp) picks those of numbers.def, in all
 * modes; executions in place see every call (syscall user dispatch, calls.c). Either way the call
 * is not performed, and the thread gets SIGSYS instead. Calls from the code of this library are
 * exempt, so that it can perform them. */
#include "trap.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/prctl.h>
#include <linux/seccomp.h>
#include <linux/sockios.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "../control.h"
#include "../control/modules.h"
#include "calls.h"
#include "entry.h"
#include "inplace.h"
#include "modules.h"
#include "numbers.h"
#include "patch.h"
#include "real.h"
#include "refuse.h"
#include "system_call.h"

enum {
  RESTORER = 0x04000000,
  STEPS_MOST = 512,
  LOW_HALF = 0,
  HIGH_HALF = 4,
  X32_NUMBERS = 1 << 30
};
/* The code of SIGSYS for syscall user dispatch; not in all headers. */
enum { DISPATCHED = 2 };

static bool works;

/* The unwinder knows a signal's frame by these two instructions. */
__asm__(".text\n"
        ".local trap_return\n"
        "  nop\n" /* where unwinders look it up, a byte before, no other function may end */
        "trap_return:\n"
        "  movq $15, %rax\n  syscall\n");
extern char trap_return[] __attribute__((visibility("hidden")));

long kernel_action(int number, const struct kernel_action *new, struct kernel_action *old) {
  return raw_call(SYS_rt_sigaction, number, (long)new, (long)old, sizeof new->mask);
}

static uint64_t bit(int number) {
  return (uint64_t)1 << (number - 1);
}

/* What brings us system calls, breakpoints of ours and first changes of pages stays deliverable. */
static uint64_t never_blocked(void) {
  return bit(SIGSYS) | (patch_signal() != 0 ? bit(patch_signal()) : 0) |
         (inplace_running() ? bit(SIGSEGV) : 0);
}

long trap_mask(long how, long new, long old) {
  uint64_t set = 0;
  if (new != 0 && !numbers_read(&set, (uint64_t) new, sizeof set)) return -EFAULT;
  if (how != SIG_UNBLOCK) set &= ~never_blocked();
  return raw_call(SYS_rt_sigprocmask, how, new == 0 ? 0 : (long)&set, old, sizeof set);
}

/* The mask that counts is the one to which the handler returns. */
static long set_mask(const struct numbered_call *call, ucontext_t *machine) {
  const long *a = call->arguments;
  uint64_t *now = (uint64_t *)(void *)&machine->uc_sigmask, before = *now, set;
  if (a[1] != 0) {
    if (a[0] != SIG_BLOCK && a[0] != SIG_UNBLOCK && a[0] != SIG_SETMASK) return -EINVAL;
    if (!numbers_read(&set, (uint64_t)a[1], sizeof set)) return -EFAULT;
    *now = a[0] == SIG_BLOCK ? before | set : a[0] == SIG_UNBLOCK ? before & ~set : set;
    *now &= ~never_blocked();
  }
  if (a[2] != 0) memcpy((void *)a[2], &before, sizeof before);
  return 0;
}

/* Whether it is performed; else this has become another process meanwhile. */
static bool perform(const struct numbered_call *call, bool dispatched, long *result) {
  if (dispatched) return calls_perform(call, result);
  *result = raw_call6(call->number, call->arguments);
  return true;
}

static long result_of(const struct numbered_call *asked, bool dispatched) {
  struct numbered_call call = *asked;
  long result;
  if (running && numbers_enter(&call, &result)) return result;
  if (!perform(&call, dispatched, &result)) {
    call = *asked; /* the system has other numbers for this process */
    if (running && numbers_enter(&call, &result)) return result;
    perform(&call, false, &result);
  }
  return running ? numbers_leave(&call, result) : result;
}

static void on_call(int signal_number, siginfo_t *information, void *user) {
  ucontext_t *machine = user;
  greg_t *r = machine->uc_mcontext.gregs;
  const struct numbered_call call = {.number = information->si_syscall,
                                     .arguments = {(long)r[REG_RDI], (long)r[REG_RSI],
                                                   (long)r[REG_RDX], (long)r[REG_R10],
                                                   (long)r[REG_R8], (long)r[REG_R9]},
                                     .place = (uint64_t)(uintptr_t)information->si_call_addr};
  (void)signal_number;
  if (call.number == SYS_rt_sigreturn) {
    r[REG_RIP] = (greg_t)(uintptr_t)trap_return;
    return;
  }
  if (information->si_arch != AUDIT_ARCH_X86_64) refuse("a system call of 32 bits", call.place);
  if (call.number >= X32_NUMBERS) refuse("a system call of x32", call.place);
  if (call.number == SYS_rt_sigprocmask)
    r[REG_RAX] = set_mask(&call, machine);
  else
    r[REG_RAX] = result_of(&call, information->si_code == DISPATCHED);
}

struct program {
  unsigned short count;
  struct sock_filter steps[STEPS_MOST];
};

static void add(struct program *p, unsigned code, uint32_t value, unsigned yes, unsigned no) {
  p->steps[p->count++] =
      (struct sock_filter){(unsigned short)code, (unsigned char)yes, (unsigned char)no, value};
}

static void load(struct program *p, size_t offset) {
  add(p, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void end(struct program *p, uint32_t what) {
  add(p, BPF_RET | BPF_K, what, 0, 0);
}

/* Where a call goes that is one of ours; build() has these at its end. */
enum target { ANY_PLACE, OUTSIDE_LIBC };

static void found(struct program *p, enum target target) {
  add(p, BPF_JMP | BPF_JA, target, 0, 0);
}

static void whole(struct program *p, int number, enum target target) {
  add(p, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 1);
  found(p, target);
}

static void when(struct program *p, int number, int argument, uint32_t value) {
  add(p, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 4);
  load(p, offsetof(struct seccomp_data, args) + 8 * (size_t)argument);
  add(p, BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
  found(p, ANY_PLACE);
  load(p, offsetof(struct seccomp_data, nr));
}

/* A call from the code of a module is performed; for others it goes on here. */
static void allow_from(struct program *p, const struct module *m) {
  const size_t address = offsetof(struct seccomp_data, instruction_pointer);
  load(p, address + HIGH_HALF);
  add(p, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(m->text_low >> 32), 0, 4);
  load(p, address + LOW_HALF);
  add(p, BPF_JMP | BPF_JGE | BPF_K, (uint32_t)m->text_low, 0, 2);
  add(p, BPF_JMP | BPF_JGT | BPF_K, (uint32_t)m->text_high, 1, 0);
  end(p, SECCOMP_RET_ALLOW);
}

/* Calls that are none of these are looked up by their number alone, so that the kernel remembers
 * what becomes of them and does not run the filter. Masks of the C library are its own affair: it
 * blocks everything while it makes a thread, and what the program wants comes by way of us. */
static void build(struct program *p, const struct module *own, const struct module *libc,
                  bool debugged) {
  enum rule { ASKS, CHANGES, REFUSED, OWN, PATH, MESSAGE, MASK, LIBC };
  load(p, offsetof(struct seccomp_data, arch));
  add(p, BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0);
  end(p, SECCOMP_RET_TRAP);
  load(p, offsetof(struct seccomp_data, nr));
  add(p, BPF_JMP | BPF_JGE | BPF_K, X32_NUMBERS, 0, 1);
  end(p, SECCOMP_RET_TRAP);
#define NUMBER(name, argument, rule) whole(p, SYS_##name, ANY_PLACE);
#define WHOLE(name, rule)                                                                          \
  if ((rule != PATH && rule != MESSAGE) || !debugged)                                              \
    whole(p, SYS_##name, rule == MASK || rule == LIBC ? OUTSIDE_LIBC : ANY_PLACE);
#define WHEN(name, argument, value) when(p, SYS_##name, argument, (uint32_t)value);
#include "numbers.def"
#undef NUMBER
#undef WHOLE
#undef WHEN
  end(p, SECCOMP_RET_ALLOW);
  const unsigned outside_libc = p->count;
  allow_from(p, libc);
  const unsigned any_place = p->count;
  allow_from(p, own);
  end(p, SECCOMP_RET_TRAP);
  for (unsigned i = 0; i < outside_libc; i++)
    if (p->steps[i].code == (BPF_JMP | BPF_JA))
      p->steps[i].k = (p->steps[i].k == ANY_PLACE ? any_place : outside_libc) - i - 1;
}

static bool install(struct program *p) {
  const struct sock_fprog filter = {p->count, p->steps};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         raw_call(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW,
                  (long)&filter, 0) == 0;
}

/* The module that some code is in, if the filter can tell its addresses; or NULL. */
static const struct module *module_with(uint64_t code) {
  uint32_t module;
  uint64_t offset;
  if (!module_locate(code, &module, &offset)) return NULL;
  const struct module *m = &control->modules[module];
  return m->text_low >> 32 == m->text_high >> 32 ? m : NULL;
}

/* Found by a function that no other library has, as a sanitizer has most. */
static const struct module *libc(void) {
  return module_with((uint64_t)(uintptr_t)real_function("__libc_start_main"));
}

bool trap_possible(void) {
  uint32_t what = SECCOMP_RET_TRAP;
  return module_with((uint64_t)(uintptr_t)on_call) != NULL && libc() != NULL &&
         raw_call(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, (long)&what, 0) == 0;
}

void trap_prepare(bool debugged) {
  static struct program program;
  const struct kernel_action catch = {(uint64_t)(uintptr_t)on_call,
                                      SA_SIGINFO | SA_NODEFER | RESTORER,
                                      (uint64_t)(uintptr_t)trap_return, 0};
  const uint64_t set = bit(SIGSYS);
  kernel_action(SIGSYS, &catch, NULL);
  raw_call(SYS_rt_sigprocmask, SIG_UNBLOCK, (long)&set, 0, sizeof set);
  const struct module *own = module_with((uint64_t)(uintptr_t)on_call);
  if (own == NULL || libc() == NULL) return;
  build(&program, own, libc(), debugged);
  control->calls_seen = works = install(&program);
}

/* A filter of its own, which is there only when it is needed. */
void trap_futexes(void) {
  static struct program p;
  if (!works) return;
  load(&p, offsetof(struct seccomp_data, nr));
  add(&p, BPF_JMP | BPF_JEQ | BPF_K, SYS_futex, 1, 0);
  end(&p, SECCOMP_RET_ALLOW);
  allow_from(&p, module_with((uint64_t)(uintptr_t)on_call));
  allow_from(&p, libc());
  end(&p, SECCOMP_RET_TRAP);
  install(&p);
}

void trap_touches(void) {
  static const long calls[] = {
#define TOUCH(name, from, path)                   SYS_##name,
#define TOUCH_TWO(name, from, path, from2, path2) SYS_##name,
#include "touches.def"
#undef TOUCH
#undef TOUCH_TWO
      SYS_bind};
  enum { CALLS = sizeof calls / sizeof *calls };
  static struct program p;
  if (!works) return;
  load(&p, offsetof(struct seccomp_data, nr));
  for (int i = 0; i < CALLS; i++)
    add(&p, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)calls[i], (unsigned)(CALLS - i), 0);
  end(&p, SECCOMP_RET_ALLOW);
  allow_from(&p, module_with((uint64_t)(uintptr_t)on_call));
  end(&p, SECCOMP_RET_TRAP);
  install(&p);
}

bool trap_works(void) {
  return works;
}
