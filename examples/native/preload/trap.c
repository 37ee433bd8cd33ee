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
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "../control.h"
#include "calls.h"
#include "entry.h"
#include "modules.h"
#include "numbers.h"
#include "refuse.h"
#include "system_call.h"

enum { RESTORER = 0x04000000, STEPS_MOST = 512, LOW_HALF = 0, HIGH_HALF = 4 };
/* The code of SIGSYS for syscall user dispatch; not in all headers. */
enum { DISPATCHED = 2 };

static bool works;

/* The unwinder knows a signal's frame by these two instructions. */
__asm__(".text\n"
        ".local trap_return\n"
        "trap_return:\n"
        "  movq $15, %rax\n  syscall\n");
extern char trap_return[] __attribute__((visibility("hidden")));

long kernel_action(int number, const struct kernel_action *new, struct kernel_action *old) {
  return raw_call(SYS_rt_sigaction, number, (long)new, (long)old, sizeof new->mask);
}

/* Whether it is performed; else this has become another process meanwhile. */
static bool perform(const struct numbered_call *call, bool dispatched, ucontext_t *machine,
                    long *result) {
  if (dispatched) return calls_perform(call, machine, result);
  *result = raw_call6(call->number, call->arguments);
  return true;
}

static long result_of(const struct numbered_call *asked, bool dispatched, ucontext_t *machine) {
  struct numbered_call call = *asked;
  long result;
  if (running && numbers_enter(&call, &result)) return result;
  if (!perform(&call, dispatched, machine, &result)) {
    call = *asked; /* the system has other numbers for this process */
    if (running && numbers_enter(&call, &result)) return result;
    perform(&call, false, machine, &result);
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
  r[REG_RAX] = result_of(&call, information->si_code == DISPATCHED, machine);
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

/* All of these lead to what build() has at its end. */
static void found(struct program *p) {
  add(p, BPF_JMP | BPF_JA, 0, 0, 0);
}

static void whole(struct program *p, int number) {
  add(p, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 1);
  found(p);
}

static void when(struct program *p, int number, int argument, uint32_t value) {
  add(p, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 4);
  load(p, offsetof(struct seccomp_data, args) + 8 * (size_t)argument);
  add(p, BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
  found(p);
  load(p, offsetof(struct seccomp_data, nr));
}

/* A call that is one of ours is performed if it comes from our own code. */
static void unless_own(struct program *p, const struct module *own) {
  const size_t address = offsetof(struct seccomp_data, instruction_pointer);
  load(p, address + HIGH_HALF);
  add(p, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(own->text_low >> 32), 0, 4);
  load(p, address + LOW_HALF);
  add(p, BPF_JMP | BPF_JGE | BPF_K, (uint32_t)own->text_low, 0, 2);
  add(p, BPF_JMP | BPF_JGT | BPF_K, (uint32_t)own->text_high, 1, 0);
  end(p, SECCOMP_RET_ALLOW);
  end(p, SECCOMP_RET_TRAP);
}

/* Calls that are none of these are looked up by their number alone, so that the kernel remembers
 * what becomes of them and does not run the filter. */
static void build(struct program *p, const struct module *own, bool debugged) {
  enum rule { ASKS, CHANGES, REFUSED, OWN, PATH };
  load(p, offsetof(struct seccomp_data, arch));
  add(p, BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0);
  end(p, SECCOMP_RET_TRAP);
  load(p, offsetof(struct seccomp_data, nr));
#define NUMBER(name, argument, rule) whole(p, SYS_##name);
#define WHOLE(name, rule)                                                                          \
  if (rule != PATH || !debugged) whole(p, SYS_##name);
#define WHEN(name, argument, value) when(p, SYS_##name, argument, (uint32_t)value);
#include "numbers.def"
#undef NUMBER
#undef WHOLE
#undef WHEN
  end(p, SECCOMP_RET_ALLOW);
  for (unsigned i = 0; i < p->count; i++)
    if (p->steps[i].code == (BPF_JMP | BPF_JA)) p->steps[i].k = p->count - i - 1;
  unless_own(p, own);
}

static bool install(struct program *p) {
  const struct sock_fprog filter = {p->count, p->steps};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         raw_call(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW,
                  (long)&filter, 0) == 0;
}

void trap_prepare(bool debugged) {
  static struct program program;
  const struct kernel_action catch = {(uint64_t)(uintptr_t)on_call,
                                      SA_SIGINFO | SA_NODEFER | RESTORER,
                                      (uint64_t)(uintptr_t)trap_return, 0};
  const uint64_t set = (uint64_t)1 << (SIGSYS - 1);
  uint32_t module;
  uint64_t offset;
  kernel_action(SIGSYS, &catch, NULL);
  raw_call(SYS_rt_sigprocmask, SIG_UNBLOCK, (long)&set, 0, sizeof set);
  if (!module_locate((uint64_t)(uintptr_t)on_call, &module, &offset)) return;
  const struct module *own = &control->modules[module];
  if (own->text_low >> 32 != own->text_high >> 32) return;
  build(&program, own, debugged);
  control->calls_seen = works = install(&program);
}

bool trap_works(void) {
  return works;
}
