#include "machine.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arith.h"
#include "array.h"
#include "asked.h"
#include "branches.h"
#include "builtin.h"
#include "code.h"
#include "coverage.h"
#include "decide.h"
#include "defect.h"
#include "files.h"
#include "heap.h"
#include "index.h"
#include "initialised.h"
#include "input.h"
#include "interpret.h"
#include "memory.h"
#include "moment.h"
#include "racing.h"
#include "sync.h"
#include "term_list.h"

/* Functions have addresses in the lowest part of the first region, behind all globals. */
#define FUNCTIONS (UINT64_C(1) << 40)
enum { FUNCTION_SIZE = 16, SILENT_LOOK = 1 << 20 };

/* ---- what ends a thread ---- */

enum flow machine_stop(struct machine *m, unf_status status) {
  if (m->status == UNF_OK) m->status = status;
  return FLOW_STANDS;
}

enum flow machine_begin_again(struct machine *m) {
  m->again = true;
  return machine_stop(m, UNF_STATE);
}

enum flow machine_fail(struct machine *m, struct thread *t, enum cli_kind kind, const char *format,
                       ...) {
  va_list list;
  va_start(list, format);
  vsnprintf(t->text, sizeof t->text, format, list);
  va_end(list);
  t->kind = kind;
  t->place = machine_place(m, t);
  t->standing = STANDS_FAILED;
  return FLOW_STANDS;
}

static void place_text(const struct machine *m, uint64_t place, char *buffer, size_t size) {
  const uint32_t line = (uint32_t)place;
  const char *file = m->code->texts[place >> 32];
  snprintf(buffer, size, "%s:%u: ", line > 0 ? file : "a place without a line", line);
}

enum flow machine_refuse(struct machine *m, struct thread *t, const char *format, ...) {
  va_list list;
  if (m->status != UNF_OK) return FLOW_STANDS;
  place_text(m, machine_place(m, t), m->message, sizeof m->message);
  const size_t length = strlen(m->message);
  va_start(list, format);
  vsnprintf(m->message + length, sizeof m->message - length, format, list);
  va_end(list);
  snprintf(m->message + strlen(m->message), sizeof m->message - strlen(m->message),
           " is not supported");
  return machine_stop(m, UNF_UNSUPPORTED);
}

enum flow machine_bound(struct machine *m, struct thread *t, const char *limit) {
  m->bounded = limit;
  t->standing = STANDS_BOUND;
  return FLOW_STANDS;
}

enum flow machine_offer(struct thread *t, uint32_t phase, unf_operation operation) {
  machine_frame(t)->phase = phase;
  t->operation = operation;
  t->standing = STANDS_AT_OPERATION;
  return FLOW_STANDS;
}

enum flow machine_result(struct thread *t, const struct arguments *a, struct value value) {
  if (a->results > 0) t->values[machine_frame(t)->registers + a->instruction->result] = value;
  return FLOW_NEXT;
}

enum flow machine_number(struct thread *t, const struct arguments *a, int64_t number) {
  return machine_result(t, a, value_number(number));
}

/* ---- places and addresses ---- */

uint64_t machine_place(const struct machine *m, const struct thread *t) {
  if (t->frame_count == 0) return 0;
  size_t frame = t->frame_count - 1;
  while (frame > 0 && t->frames[frame].function->library)
    frame--;
  const bool calls = frame < t->frame_count - 1; /* and stands behind that already */
  const struct instruction *i =
      &m->code->instructions[t->frames[frame].instruction - (calls ? 1 : 0)];
  return (uint64_t)i->file << 32 | i->line;
}

uint64_t machine_function_address(uint32_t function) {
  return FUNCTIONS + (uint64_t)function * FUNCTION_SIZE;
}

uint32_t machine_function_at(const struct machine *m, uint64_t address) {
  const uint64_t number = (address - FUNCTIONS) / FUNCTION_SIZE;
  const bool is = address >= FUNCTIONS && (address - FUNCTIONS) % FUNCTION_SIZE == 0;
  return is && number < m->code->function_count ? (uint32_t)number : UINT32_MAX;
}

/* ---- globals ---- */

static int64_t constant_number(const struct machine *m, uint32_t number) {
  const struct constant *c = &m->code->constants[number];
  const uint64_t base = c->kind == CONSTANT_GLOBAL     ? m->globals[c->index]
                        : c->kind == CONSTANT_FUNCTION ? machine_function_address(c->index)
                                                       : 0;
  return (int64_t)base + c->value;
}

static bool fill(struct machine *m, const struct global *g, uint64_t address) {
  bool good = true;
  for (uint32_t p = g->first; good && p < g->first + g->count; p++) {
    const struct piece *piece = &m->code->pieces[p];
    const int64_t number = piece->bytes == NULL ? constant_number(m, piece->constant) : 0;
    good = memory_set(&m->memory, address + piece->offset,
                      piece->bytes != NULL ? (const void *)piece->bytes : (const void *)&number,
                      piece->size);
  }
  return good;
}

static bool make_globals(struct machine *m) {
  const struct code *c = m->code;
  if (m->globals == NULL) m->globals = calloc((size_t)c->global_count + 1, sizeof *m->globals);
  for (uint32_t i = 0; m->globals != NULL && i < c->global_count; i++) {
    const struct object *o = memory_make(&m->memory, 0, OBJECT_GLOBAL, c->globals[i].size,
                                         c->globals[i].alignment, true, 0);
    if (o == NULL) return false;
    m->globals[i] = o->address;
  }
  for (uint32_t i = 0; m->globals != NULL && i < c->global_count; i++) {
    struct object *o = memory_change(&m->memory, m->globals[i]);
    if (o == NULL || !fill(m, &c->globals[i], o->address)) return false;
    memory_change(&m->memory, m->globals[i])->constant = c->globals[i].constant;
  }
  return m->globals != NULL;
}

uint64_t machine_own(struct machine *m, struct thread *t, uint32_t global) {
  const struct global *g = &m->code->globals[global];
  if (!g->per_thread) return m->globals[global];
  if (t->copies == NULL) t->copies = calloc(m->code->global_count, sizeof *t->copies);
  if (t->copies != NULL && t->copies[global] == 0) {
    const struct object *o =
        memory_make(&m->memory, t->handle + 1, OBJECT_OWN, g->size, g->alignment, true, 0);
    const uint64_t address = o != NULL ? o->address : 0;
    if (o != NULL && fill(m, g, address)) t->copies[global] = address;
  }
  if (t->copies == NULL || t->copies[global] == 0) {
    machine_stop(m, UNF_MEMORY);
    return 0;
  }
  return t->copies[global];
}

/* ---- threads ---- */

static void free_thread(struct machine *m, struct thread *t) {
  if (t == NULL) return;
  machine_drop_image(m, t);
  free(t->frames);
  free(t->values);
  free(t->decided);
  free(t->copies);
  free(t->specifics);
  free(t->jumps);
  free(t->handlers);
  free(t->freed);
  free(t);
}

struct thread *machine_thread(struct machine *m, unf_thread handle) {
  if (handle >= m->thread_room) {
    const uint32_t room = 2 * handle + 8;
    struct thread **threads = realloc(m->threads, room * sizeof *threads);
    if (threads == NULL) {
      machine_stop(m, UNF_MEMORY);
      return NULL;
    }
    memset(threads + m->thread_room, 0, (room - m->thread_room) * sizeof *threads);
    m->threads = threads;
    m->thread_room = room;
  }
  if (m->thread_count <= handle) m->thread_count = handle + 1;
  if (m->threads[handle] == NULL) {
    m->threads[handle] = calloc(1, sizeof *m->threads[handle]);
    if (m->threads[handle] == NULL) machine_stop(m, UNF_MEMORY);
    if (m->threads[handle] != NULL) m->threads[handle]->handle = handle;
  }
  return m->threads[handle];
}

static bool make_room(struct thread *t, size_t values) {
  if (t->frame_count == t->frame_room) {
    const size_t room = 2 * t->frame_room + 8;
    struct frame *frames = realloc(t->frames, room * sizeof *frames);
    if (frames == NULL) return false;
    t->frames = frames;
    t->frame_room = room;
  }
  if (t->value_count + values > t->value_room) {
    const size_t room = 2 * (t->value_count + values) + 64;
    struct value *all = realloc(t->values, room * sizeof *all);
    if (all == NULL) return false;
    t->values = all;
    t->value_room = room;
  }
  return true;
}

/* Arguments behind the parameters stand behind the registers. */
bool machine_call(struct machine *m, struct thread *t, uint32_t number,
                  const struct value *arguments, uint32_t count, uint32_t result,
                  uint32_t results) {
  const struct function *f = &m->code->functions[number];
  const size_t extra = count > f->parameters ? count - f->parameters : 0;
  if (!make_room(t, (size_t)f->registers + extra)) return false;
  const struct frame frame = {.function = f,
                              .instruction = f->first,
                              .registers = t->value_count,
                              .depth = memory_depth(&m->memory, t->handle + 1),
                              .result = result,
                              .results = results,
                              .extra = t->value_count + f->registers,
                              .extra_count = extra,
                              .number = t->calls++};
  struct value *registers = t->values + frame.registers;
  for (uint32_t i = 0; i < f->registers; i++)
    registers[i] = i < f->parameters ? arguments[i] : value_number(0);
  for (size_t i = 0; i < extra; i++)
    t->values[frame.extra + i] = arguments[f->parameters + i];
  t->value_count += f->registers + extra;
  t->frames[t->frame_count++] = frame;
  return true;
}

void machine_reset_thread(struct machine *m, struct thread *t) {
  struct thread kept = {.handle = t->handle,
                        .frames = t->frames,
                        .frame_room = t->frame_room,
                        .values = t->values,
                        .value_room = t->value_room,
                        .decided = t->decided,
                        .decided_room = t->decided_room,
                        .specifics = t->specifics,
                        .specific_room = t->specific_room,
                        .jumps = t->jumps,
                        .jump_room = t->jump_room,
                        .handlers = t->handlers,
                        .handler_room = t->handler_room,
                        .freed = t->freed,
                        .freed_room = t->freed_room};
  free(t->copies);
  machine_drop_image(m, t);
  *t = kept;
}

/* The address of an argument of so many bytes, with a 0 behind them; 0: no memory. */
static uint64_t make_argument(struct machine *m, uint64_t list, uint64_t index, uint64_t size) {
  const struct object *o = memory_make(&m->memory, 0, OBJECT_GLOBAL, size + 1, 1, true, 0);
  const uint64_t address = o != NULL ? o->address : 0;
  const enum access access =
      memory_store(&m->memory, list + index * sizeof(int64_t), 64, value_number((int64_t)address));
  return access == ACCESS_GOOD ? address : 0;
}

/* The numbers and strings of the command line, as main has them. */
static bool push_main(struct machine *m, struct thread *t, uint32_t function, int given,
                      char **argv) {
  const struct function *f = &m->code->functions[function];
  const uint64_t count = (uint64_t)given + m->symbolic_argument_count;
  const struct object *list =
      memory_make(&m->memory, 0, OBJECT_GLOBAL, (count + 2) * sizeof(int64_t), 16, true, 0);
  const uint64_t strings = list != NULL ? list->address : 0;
  for (uint64_t i = 0; strings != 0 && i < (uint64_t)given; i++) {
    const size_t size = strlen(argv[i]);
    const uint64_t address = make_argument(m, strings, i, size);
    if (address == 0 || !memory_set(&m->memory, address, argv[i], size)) return false;
  }
  for (uint64_t i = (uint64_t)given; strings != 0 && i < count; i++) {
    char name[64];
    const uint64_t size = m->symbolic_arguments[i - (uint64_t)given];
    const uint64_t address = make_argument(m, strings, i, size);
    for (uint64_t byte = 0; byte < size; byte++) {
      struct value value;
      snprintf(name, sizeof name, "argv[%llu][%llu]", (unsigned long long)i,
               (unsigned long long)byte);
      if (address == 0 || !machine_input(m, t, 8, name, NULL, &value) ||
          memory_store(&m->memory, address + byte, 8, value) != ACCESS_GOOD)
        return false;
    }
  }
  const struct value arguments[] = {
      value_number((int64_t)count), value_number((int64_t)strings),
      value_number((int64_t)(strings + (count + 1) * sizeof(int64_t)))};
  return strings != 0 && f->parameters <= 3 &&
         machine_call(m, t, function, arguments, f->parameters, 0, 0);
}

void machine_open(struct machine *m) {
  memory_begin(&m->memory, &m->pool);
  m->asked.pool = &m->pool;
}

/* When limits are looked at next. */
static uint64_t next_look(const struct machine *m) {
  const uint64_t next = m->silent + SILENT_LOOK;
  return next < m->max_silent ? next : m->max_silent;
}

void machine_clear(struct machine *m) {
  memory_clear(&m->memory);
  asked_begin(&m->asked);
  array_drop(&m->pool, &syncs_kind, &m->now.syncs);
  array_drop(&m->pool, &initialised_kind, &m->now.initialised);
  m->now.key_count = 0;
  m->now.exited = false;
  m->status = UNF_OK;
  m->silent = 0;
  m->next_look = next_look(m);
}

void machine_begin(struct machine *m, int argc, char **argv) {
  const uint32_t function = code_function(m->code, "main");
  unf_thread first;
  machine_clear(m);
  m->now.at_exit = code_function(m->code, "__unfold_at_exit");
  m->now.started = 1;
  m->decided = 0;
  for (uint32_t i = 0; i < m->thread_count; i++)
    if (m->threads[i] != NULL) machine_reset_thread(m, m->threads[i]);
  m->status = unf_thread_name(m->unfolding, UNF_THREAD_NONE, 0, &first);
  struct thread *t = m->status == UNF_OK ? machine_thread(m, first) : NULL;
  if (t == NULL) return;
  m->now.first = first;
  t->cause = UNF_EVENT_BOTTOM;
  t->begins = function;
  bool made = make_globals(m) && machine_make_inputs(m, t) && push_main(m, t, function, argc, argv);
  for (uint32_t i = m->code->constructor_count; made && i > 0; i--)
    made = machine_call(m, t, m->code->constructors[i - 1], NULL, 0, 0, 0);
  if (!made) {
    machine_stop(m, UNF_MEMORY);
    return;
  }
  t->standing = STANDS_RUNNING;
  machine_run(m, first);
}

bool machine_out_of_time(struct machine *m, const struct thread *t) {
  if (m->stops == NULL || !m->stops(m->user)) return false;
  place_text(m, machine_place(m, t), m->message, sizeof m->message);
  machine_stop(m, UNF_INTERRUPTED);
  return true;
}

bool machine_work(struct machine *m, struct thread *t, uint64_t work) {
  m->silent += work;
  if (m->silent < m->next_look) return true;
  if (m->silent >= m->max_silent) return machine_bound(m, t, "instructions") == FLOW_NEXT;
  m->next_look = next_look(m);
  return !machine_out_of_time(m, t);
}

/* An instruction that is begun again counts once. */
static void cover(struct machine *m, const struct thread *t, size_t frame, uint32_t instruction,
                  enum flow flow, bool again) {
  const bool stays = flow == FLOW_WENT && t->frame_count == frame + 1;
  const struct frame *f = &t->frames[frame];
  if (!again) coverage_performed(m->coverage, instruction);
  if (stays) coverage_went(m->coverage, instruction, f->instruction - f->function->first);
}

void machine_run(struct machine *m, unf_thread handle) {
  struct thread *t = m->threads[handle];
  while (m->status == UNF_OK && t->standing == STANDS_RUNNING && machine_work(m, t, 1)) {
    const size_t frame = t->frame_count - 1;
    t->decision = 0;
    m->instructions++;
    const uint32_t instruction = t->frames[frame].instruction;
    const bool again = t->frames[frame].phase > 0 || t->decided_count > 0;
    const enum flow flow = machine_execute(m, t);
    if (m->coverage != NULL) cover(m, t, frame, instruction, flow, again);
    if (m->knowledge->terms.failed) machine_stop(m, UNF_MEMORY);
    if (flow == FLOW_STANDS) continue;
    t->decided_count = 0;
    if (flow == FLOW_AGAIN) continue;
    if (flow == FLOW_WENT && t->frame_count <= frame + 1) continue;
    t->frames[frame].instruction++; /* behind a call, too */
    t->frames[frame].phase = 0;
  }
}

void machine_performed(struct machine *m, const unf_action *action, unf_event event) {
  struct thread *t = m->threads[action->thread];
  const bool decided = t->standing == STANDS_AT_BRANCH;
  heap_tell(m, t, action, event);
  t->cause = event;
  t->has_history = false;
  t->asked = 0;
  t->action = *action;
  t->standing = STANDS_RUNNING;
  t->operations++;
  m->silent = 0;
  m->next_look = next_look(m);
  if (decided)
    machine_remember(
        m, t,
        branches_outcomes(&m->knowledge->branches, (uint32_t)t->operation.low)[action->value]
            .value);
  if (t->operations >= m->max_operations)
    machine_bound(m, t, "operations");
  else
    machine_run(m, action->thread);
}

void machine_free(struct machine *m) {
  machine_clear(m);
  memory_free(&m->memory);
  asked_free(&m->asked);
  coverage_free(m->coverage);
  for (uint32_t i = 0; i < m->thread_count; i++)
    free_thread(m, m->threads[i]);
  free(m->threads);
  free(m->globals);
  free(m->now.keys);
  machine_files_free(m);
  free(m->atomics);
  index_free(&m->sync_index);
  index_free(&m->spots);
  free(m->in_terms);
  index_free(&m->atomic_index);
  index_free(&m->apart);
  racing_free(m);
  free(m->outcomes.items);
  lattices_free(&m->lattices);
  term_list_free(&m->origins);
  branches_free(&m->accesses);
  free((void *)(uintptr_t)m->builtins);
}
