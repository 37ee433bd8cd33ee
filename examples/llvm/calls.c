/*
 * Functions that a program calls and does not have: memory, inputs, assertions, and what has no
 * effect that is explored. Whatever is in none of the tables is refused by its name where a thread
 * comes to it.
 */
#include "calls.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "access.h"
#include "arith.h"
#include "atomic.h"
#include "builtin.h"
#include "code.h"
#include "decide.h"
#include "ends.h"
#include "environment.h"
#include "files.h"
#include "heap.h"
#include "input.h"
#include "machine.h"
#include "memory.h"
#include "numeric.h"
#include "regions.h"
#include "sync.h"
#include "terms.h"
#include "texts.h"
#include "units.h"

static const char *name_of(const struct machine *m, const struct arguments *a) {
  return m->code->functions[a->function].name;
}

static bool has(struct machine *m, struct thread *t, const struct arguments *a, uint32_t count) {
  if (a->count >= count) return true;
  machine_fail(m, t, CLI_MEMORY, "a call of %s with too few arguments", name_of(m, a));
  return false;
}

static bool number(struct machine *m, struct thread *t, const struct arguments *a, uint32_t index,
                   int64_t *value) {
  return machine_resolve(m, t, a->values[index], value);
}

static enum flow nothing(struct machine *m, struct thread *t, const struct arguments *a) {
  (void)m;
  return machine_number(t, a, 0);
}

/* ---- memory ---- */

/* What comes from the system can be large: a limit keeps a mistake from taking all of ours. */
#define LARGEST (UINT64_C(1) << 30)
/* Of memory that is made or written, so many bytes are as much work as an instruction. */
enum { BYTES_OF_WORK = 16 };

enum given { GIVE_AS_IT_IS, GIVE_CLEARED, GIVE_KEPT };

static enum flow give(struct machine *m, struct thread *t, const struct arguments *a, uint64_t size,
                      enum given given) {
  if (size > LARGEST) return machine_number(t, a, 0);
  if (!machine_work(m, t, size / BYTES_OF_WORK)) return FLOW_STANDS;
  const struct object *o = heap_make(m, t, size, 16, given == GIVE_CLEARED);
  if (o == NULL) return FLOW_STANDS;
  const uint64_t address = o->address;
  if (given == GIVE_KEPT) {
    struct object *mine = memory_change(&m->memory, address);
    if (mine == NULL) return machine_stop(m, UNF_MEMORY);
    mine->kept = true;
  }
  return machine_number(t, a, (int64_t)address);
}

static enum flow allocate(struct machine *m, struct thread *t, const struct arguments *a) {
  int64_t size;
  if (!has(m, t, a, 1) || !number(m, t, a, 0, &size)) return FLOW_STANDS;
  return give(m, t, a, (uint64_t)size, GIVE_AS_IT_IS);
}

/* As malloc(), for the library: a C library knows where its own memory is. */
static enum flow allocate_kept(struct machine *m, struct thread *t, const struct arguments *a) {
  int64_t size;
  if (!has(m, t, a, 1) || !number(m, t, a, 0, &size)) return FLOW_STANDS;
  return give(m, t, a, (uint64_t)size, GIVE_KEPT);
}

static enum flow allocate_cleared(struct machine *m, struct thread *t, const struct arguments *a) {
  int64_t count, size;
  if (!has(m, t, a, 2) || !number(m, t, a, 0, &count) || !number(m, t, a, 1, &size))
    return FLOW_STANDS;
  if (size != 0 && (uint64_t)count > LARGEST / (uint64_t)size) return machine_number(t, a, 0);
  return give(m, t, a, (uint64_t)count * (uint64_t)size, GIVE_CLEARED);
}

/* The object that begins there and can be freed; NULL: the thread failed. */
static const struct object *freed_object(struct machine *m, struct thread *t, uint64_t address) {
  const struct object *o = memory_find(&m->memory, address);
  if (memory_was_freed(&m->memory, address))
    machine_fail(m, t, CLI_MEMORY, "free of memory that was freed");
  else if (o == NULL || o->kind != OBJECT_HEAP || o->address != address)
    machine_fail(m, t, CLI_MEMORY, "free of what malloc did not give");
  else
    return o;
  return NULL;
}

static enum flow release(struct machine *m, struct thread *t, const struct arguments *a) {
  int64_t address;
  if (!has(m, t, a, 1) || !number(m, t, a, 0, &address)) return FLOW_STANDS;
  if (address == 0) return machine_number(t, a, 0);
  const struct object *o = freed_object(m, t, (uint64_t)address);
  if (o == NULL || !machine_touch(m, t, o->address, o->size, true)) return FLOW_STANDS;
  return heap_free(m, t, (uint64_t)address) ? machine_number(t, a, 0) : FLOW_STANDS;
}

static enum flow reallocate(struct machine *m, struct thread *t, const struct arguments *a) {
  int64_t address, size;
  if (!has(m, t, a, 2) || !number(m, t, a, 0, &address) || !number(m, t, a, 1, &size))
    return FLOW_STANDS;
  if (address == 0) return give(m, t, a, (uint64_t)size, GIVE_AS_IT_IS);
  if ((uint64_t)size > LARGEST) return machine_number(t, a, 0);
  const struct object *o = freed_object(m, t, (uint64_t)address);
  if (o == NULL || !machine_touch(m, t, o->address, o->size, true)) return FLOW_STANDS;
  if (size == 0) /* as glibc has it */
    return heap_free(m, t, (uint64_t)address) ? machine_number(t, a, 0) : FLOW_STANDS;
  const uint64_t kept = o->size < (uint64_t)size ? o->size : (uint64_t)size;
  if (!machine_work(m, t, (uint64_t)size / BYTES_OF_WORK)) return FLOW_STANDS;
  const struct object *fresh = heap_make(m, t, (uint64_t)size, 16, false);
  if (fresh == NULL) return FLOW_STANDS;
  const uint64_t to = fresh->address;
  if (memory_copy(&m->memory, to, (uint64_t)address, kept) == ACCESS_REFUSED)
    return machine_stop(m, UNF_MEMORY);
  return heap_free(m, t, (uint64_t)address) ? machine_number(t, a, (int64_t)to) : FLOW_STANDS;
}

static enum flow allocate_aligned(struct machine *m, struct thread *t, const struct arguments *a) {
  enum { MOST = 1 << 20 };
  int64_t alignment, size;
  if (!has(m, t, a, 2) || !number(m, t, a, 0, &alignment) || !number(m, t, a, 1, &size))
    return FLOW_STANDS;
  if (alignment <= 0 || alignment > MOST || (alignment & (alignment - 1)) != 0 ||
      (uint64_t)size > LARGEST)
    return machine_number(t, a, 0);
  const struct object *o = heap_make(m, t, (uint64_t)size, (uint64_t)alignment, false);
  if (o == NULL) return FLOW_STANDS;
  return machine_number(t, a, (int64_t)o->address);
}

static enum flow usable_size(struct machine *m, struct thread *t, const struct arguments *a) {
  int64_t address;
  if (!has(m, t, a, 1) || !number(m, t, a, 0, &address)) return FLOW_STANDS;
  const struct object *o = address != 0 ? freed_object(m, t, (uint64_t)address) : NULL;
  if (address != 0 && o == NULL) return FLOW_STANDS;
  return machine_number(t, a, o != NULL ? (int64_t)o->size : 0);
}

static enum flow copy(struct machine *m, struct thread *t, const struct arguments *a) {
  int64_t to, from, size;
  if (!has(m, t, a, 3) || !number(m, t, a, 0, &to) || !number(m, t, a, 1, &from) ||
      !number(m, t, a, 2, &size) || !machine_touch(m, t, (uint64_t)from, (uint64_t)size, false) ||
      !machine_touch(m, t, (uint64_t)to, (uint64_t)size, true))
    return FLOW_STANDS;
  if (memory_copy(&m->memory, (uint64_t)to, (uint64_t)from, (uint64_t)size) == ACCESS_REFUSED)
    return machine_stop(m, UNF_MEMORY);
  return machine_number(t, a, to);
}

/* For the library: what is left of an object, and an access to bytes that go nowhere. */
static enum flow room(struct machine *m, struct thread *t, const struct arguments *a) {
  int64_t address;
  if (!has(m, t, a, 1) || !number(m, t, a, 0, &address)) return FLOW_STANDS;
  const struct object *o = memory_find(&m->memory, (uint64_t)address);
  const bool is = o != NULL && !memory_was_freed(&m->memory, (uint64_t)address);
  return machine_number(t, a, is ? (int64_t)(o->address + o->size) - address : 0);
}

static enum flow reads(struct machine *m, struct thread *t, const struct arguments *a) {
  int64_t from, size;
  if (!has(m, t, a, 2) || !number(m, t, a, 0, &from) || !number(m, t, a, 1, &size) ||
      !machine_touch(m, t, (uint64_t)from, (uint64_t)size, false))
    return FLOW_STANDS;
  return machine_number(t, a, 0);
}

static enum flow fill(struct machine *m, struct thread *t, const struct arguments *a) {
  int64_t to, size;
  if (!has(m, t, a, 3) || !number(m, t, a, 0, &to) || !number(m, t, a, 2, &size) ||
      !machine_touch(m, t, (uint64_t)to, (uint64_t)size, true))
    return FLOW_STANDS;
  const struct value byte = arith_truncate(&m->knowledge->terms, a->values[1], 8);
  if (!machine_work(m, t, (uint64_t)size / BYTES_OF_WORK)) return FLOW_STANDS;
  if (memory_fill(&m->memory, (uint64_t)to, (uint64_t)size, byte) == ACCESS_REFUSED)
    return machine_stop(m, UNF_MEMORY);
  return machine_number(t, a, to);
}

/* ---- strings ---- */

/* A byte of a string that does not depend on inputs. */
static bool byte_at(struct machine *m, struct thread *t, int64_t address, int64_t *byte) {
  struct value value;
  if (!machine_read(m, t, value_number(address), 8, &value)) return false;
  return machine_resolve(m, t, value, byte);
}

/* ---- inputs and assertions ---- */

static enum flow any(struct machine *m, struct thread *t, const struct arguments *a) {
  static const struct {
    const char *type;
    unsigned width;
  } types[] = {{"bool", 1},    {"_Bool", 1},     {"char", 8},       {"uchar", 8},     {"short", 16},
               {"ushort", 16}, {"int", 32},      {"uint", 32},      {"unsigned", 32}, {"long", 64},
               {"ulong", 64},  {"longlong", 64}, {"ulonglong", 64}, {"size_t", 64},   {"u8", 8},
               {"u16", 16},    {"u32", 32},      {"u64", 64}};
  const char *type = name_of(m, a) + strlen("__VERIFIER_nondet_");
  char from[200];
  struct value value;
  const uint64_t place = machine_place(m, t);
  snprintf(from, sizeof from, "%s:%" PRIu32, m->code->texts[place >> 32], (uint32_t)place);
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (strcmp(type, types[i].type) == 0)
      return machine_input(m, t, types[i].width, from, types[i].type, &value)
                 ? machine_result(t, a, value)
                 : FLOW_STANDS;
  return machine_refuse(m, t, "%s", name_of(m, a));
}

static bool read_name(struct machine *m, struct thread *t, int64_t address, char *name,
                      size_t size) {
  int64_t byte = 1;
  for (size_t i = 0; byte != 0; i++) {
    if (!byte_at(m, t, address + (int64_t)i, &byte)) return false;
    name[i < size ? i : size - 1] = i < size - 1 ? (char)byte : '\0';
  }
  return true;
}

/* An object of the size of a number is one input, another one has an input for each byte. */
static enum flow make_symbolic(struct machine *m, struct thread *t, const struct arguments *a) {
  char name[160], part[200];
  int64_t address, size, text;
  if (!has(m, t, a, 3) || !number(m, t, a, 0, &address) || !number(m, t, a, 1, &size) ||
      !number(m, t, a, 2, &text) || !read_name(m, t, text, name, sizeof name) ||
      !machine_touch(m, t, (uint64_t)address, (uint64_t)size, true))
    return FLOW_STANDS;
  const bool whole = size == 1 || size == 2 || size == 4 || size == 8;
  const int64_t step = whole ? size : 1;
  for (int64_t i = 0; i < size; i += step) {
    struct value value;
    snprintf(part, sizeof part, whole ? "%s" : "%s[%" PRId64 "]", name, i);
    if (!machine_input(m, t, (unsigned)(8 * step), part, NULL, &value)) return FLOW_STANDS;
    if (memory_store(&m->memory, (uint64_t)(address + i), (unsigned)(8 * step), value) ==
        ACCESS_REFUSED)
      return machine_stop(m, UNF_MEMORY);
  }
  return machine_number(t, a, 0);
}

/* Inputs are numbered again when a call is begun again. */
static enum flow assume(struct machine *m, struct thread *t, const struct arguments *a) {
  if (!has(m, t, a, 1)) return FLOW_STANDS;
  struct terms *terms = &m->knowledge->terms;
  const struct value holds =
      arith_not(terms, arith_compare(terms, COMPARE_EQUAL, 64, a->values[0], value_number(0)));
  const int truth = machine_test(m, t, holds);
  if (truth < 0) return FLOW_STANDS;
  if (truth == 1) return machine_number(t, a, 0);
  t->standing = STANDS_ASSUMED;
  return FLOW_STANDS;
}

#define TEXT_ROOM 150

/* The text that a call has as its first argument. */
static bool only_text(struct machine *m, struct thread *t, const struct arguments *a,
                      char text[TEXT_ROOM]) {
  int64_t address;
  text[0] = '\0';
  return has(m, t, a, 1) && number(m, t, a, 0, &address) &&
         read_name(m, t, address, text, TEXT_ROOM);
}

static enum flow assertion_failed(struct machine *m, struct thread *t, const struct arguments *a) {
  char text[TEXT_ROOM];
  if (!only_text(m, t, a, text)) return FLOW_STANDS;
  return machine_fail(m, t, CLI_ASSERTION, "%s", text);
}

static enum flow unsupported(struct machine *m, struct thread *t, const struct arguments *a) {
  char text[TEXT_ROOM];
  if (!only_text(m, t, a, text)) return FLOW_STANDS;
  return machine_refuse(m, t, "a call of %s", text);
}

static enum flow wrong(struct machine *m, struct thread *t, const struct arguments *a) {
  char text[TEXT_ROOM];
  if (!only_text(m, t, a, text)) return FLOW_STANDS;
  return machine_fail(m, t, CLI_RUNTIME, "%s", text);
}

static enum flow killed(struct machine *m, struct thread *t, const struct arguments *a) {
  char text[TEXT_ROOM];
  if (!only_text(m, t, a, text)) return FLOW_STANDS;
  return machine_fail(m, t, CLI_CRASH, "%s", text);
}

static enum flow error(struct machine *m, struct thread *t, const struct arguments *a) {
  return machine_fail(m, t, CLI_ASSERTION, "%s()", name_of(m, a));
}

static enum flow crash(struct machine *m, struct thread *t, const struct arguments *a) {
  return machine_fail(m, t, CLI_CRASH, "%s()", name_of(m, a));
}

static enum flow abort_program(struct machine *m, struct thread *t, const struct arguments *a) {
  if (!m->aborts_end) return crash(m, t, a);
  t->standing = STANDS_ASSUMED;
  return FLOW_STANDS;
}

/* ---- what the compiler calls ---- */

/* llvm.sadd.with.overflow.i32 and the like: the result, and whether it is another one. */
static enum flow with_overflow(struct machine *m, struct thread *t, const struct arguments *a) {
  struct terms *terms = &m->knowledge->terms;
  const char *name = name_of(m, a) + strlen("llvm.");
  const char *type = strrchr(name, 'i');
  const unsigned width = type != NULL ? (unsigned)strtoul(type + 1, NULL, 10) : 0;
  const enum instruction_kind kind = strncmp(name + 1, "add", 3) == 0   ? CODE_ADD
                                     : strncmp(name + 1, "sub", 3) == 0 ? CODE_SUBTRACT
                                                                        : CODE_MULTIPLY;
  struct value result, wrong;
  if (!has(m, t, a, 2)) return FLOW_STANDS;
  if (a->results < 2) return FLOW_NEXT; /* nobody looks */
  if (width == 0 || width > 64 || (name[0] == 'u' && kind == CODE_MULTIPLY))
    return machine_refuse(m, t, "%s", name_of(m, a));
  arith_binary(terms, kind, width, a->values[0], a->values[1], &result);
  if (name[0] == 's')
    wrong = arith_overflows(terms, kind, width, a->values[0], a->values[1]);
  else if (kind == CODE_ADD)
    wrong = arith_compare(terms, COMPARE_BELOW, width, result, a->values[0]);
  else
    wrong = arith_compare(terms, COMPARE_BELOW, width, a->values[0], a->values[1]);
  struct value *results = t->values + machine_frame(t)->registers + a->instruction->result;
  results[0] = result;
  results[1] = wrong;
  return FLOW_NEXT;
}

/* The arguments behind the parameters, where clang's va_arg looks for those that are in no
 * registers (the ABI of x86-64: offsets beyond the registers, then a pointer). */
static enum flow begin_arguments(struct machine *m, struct thread *t, const struct arguments *a) {
  enum { WORDS_IN_REGISTERS = 48, ALL_IN_REGISTERS = 176 };
  int64_t list;
  const struct frame *frame = machine_frame(t);
  if (!has(m, t, a, 1) || !number(m, t, a, 0, &list)) return FLOW_STANDS;
  const struct object *o =
      memory_make(&m->memory, t->handle + 1, OBJECT_STACK, frame->extra_count * sizeof(int64_t), 16,
                  true, machine_place(m, t));
  if (o == NULL) return machine_stop(m, UNF_MEMORY);
  const uint64_t arguments = o->address;
  for (size_t i = 0; i < frame->extra_count; i++)
    if (memory_store(&m->memory, arguments + i * sizeof(int64_t), 64,
                     t->values[frame->extra + i]) == ACCESS_REFUSED)
      return machine_stop(m, UNF_MEMORY);
  if (!machine_write(m, t, value_number(list), 32, value_number(WORDS_IN_REGISTERS)) ||
      !machine_write(m, t, value_number(list + 4), 32, value_number(ALL_IN_REGISTERS)) ||
      !machine_write(m, t, value_number(list + 8), 64, value_number((int64_t)arguments)) ||
      !machine_write(m, t, value_number(list + 16), 64, value_number(0)))
    return FLOW_STANDS;
  return FLOW_NEXT;
}

static enum flow copy_arguments(struct machine *m, struct thread *t, const struct arguments *a) {
  enum { LIST_SIZE = 24 };
  int64_t to, from;
  if (!has(m, t, a, 2) || !number(m, t, a, 0, &to) || !number(m, t, a, 1, &from) ||
      !machine_touch(m, t, (uint64_t)from, LIST_SIZE, false) ||
      !machine_touch(m, t, (uint64_t)to, LIST_SIZE, true))
    return FLOW_STANDS;
  if (memory_copy(&m->memory, (uint64_t)to, (uint64_t)from, LIST_SIZE) == ACCESS_REFUSED)
    return machine_stop(m, UNF_MEMORY);
  return FLOW_NEXT;
}

static const struct builtin_entry builtins_calls[] = {
    {"malloc", allocate},
    {"__unfold_allocate", allocate_kept},
    {"calloc", allocate_cleared},
    {"realloc", reallocate},
    {"free", release},
    {"__unfold_room", room},
    {"__unfold_reads", reads},
    {"aligned_alloc", allocate_aligned},
    {"malloc_usable_size", usable_size},
    {"memcpy", copy},
    {"memmove", copy},
    {"memset", fill},
    {"llvm.memcpy*", copy},
    {"llvm.memmove*", copy},
    {"llvm.memset*", fill},
    {"__VERIFIER_nondet_*", any},
    {"klee_make_symbolic", make_symbolic},
    {"klee_assume", assume},
    {"__VERIFIER_assume", assume},
    {"__assert_fail", assertion_failed},
    {"__VERIFIER_error", error},
    {"reach_error", error},
    {"abort", abort_program},
    {"__unfold_wrong", wrong},
    {"__unfold_killed", killed},
    {"__unfold_unsupported", unsupported},
    {"llvm.stacksave*", nothing},
    {"llvm.stackrestore*", nothing},
    {"llvm.va_start*", begin_arguments},
    {"llvm.va_end*", nothing},
    {"llvm.va_copy*", copy_arguments},
    {"llvm.sadd.with.overflow.*", with_overflow},
    {"llvm.ssub.with.overflow.*", with_overflow},
    {"llvm.smul.with.overflow.*", with_overflow},
    {"llvm.uadd.with.overflow.*", with_overflow},
    {"llvm.usub.with.overflow.*", with_overflow},
    {"llvm.trap", crash},
    {NULL, NULL},
};

static bool matches(const char *pattern, const char *name) {
  const size_t length = strlen(pattern);
  if (length > 0 && pattern[length - 1] == '*') return strncmp(pattern, name, length - 1) == 0;
  return strcmp(pattern, name) == 0;
}

static builtin find(const struct builtin_entry *entries, const char *name) {
  size_t i = 0;
  while (entries[i].name != NULL && !matches(entries[i].name, name))
    i++;
  return entries[i].function;
}

/* Those of the program itself that are more than their code: reach_error() is an error whatever it
 * does, and what begins with __VERIFIER_atomic_ is not interrupted. */
static builtin find_own(const char *name) {
  static const struct builtin_entry own[] = {
      {"reach_error", error}, {"__VERIFIER_atomic_*", regions_function}, {NULL, NULL}};
  const bool pair =
      strcmp(name, "__VERIFIER_atomic_begin") == 0 || strcmp(name, "__VERIFIER_atomic_end") == 0;
  return pair ? NULL : find(own, name);
}

builtin *builtins_find(const struct code *code) {
  builtin *found = calloc((size_t)code->function_count + 1, sizeof *found);
  for (uint32_t i = 0; found != NULL && i < code->function_count; i++) {
    const struct function *f = &code->functions[i];
    if (f->defined) {
      found[i] = find_own(f->name);
      continue;
    }
    found[i] = find(builtins_atomic, f->name);
    if (found[i] == NULL) found[i] = find(builtins_sync, f->name);
    if (found[i] == NULL) found[i] = find(builtins_regions, f->name);
    if (found[i] == NULL) found[i] = find(builtins_units, f->name);
    if (found[i] == NULL) found[i] = find(builtins_ends, f->name);
    if (found[i] == NULL) found[i] = find(builtins_files, f->name);
    if (found[i] == NULL) found[i] = find(builtins_texts, f->name);
    if (found[i] == NULL) found[i] = find(builtins_environment, f->name);
    if (found[i] == NULL) found[i] = find(builtins_calls, f->name);
    if (found[i] == NULL) found[i] = numeric_find(f->name);
  }
  return found;
}
