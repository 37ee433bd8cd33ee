/* The block of memory that the launcher and the process under test share. The launcher fills the
 * first part before it starts the program and reads the rest when the program is done. Addresses
 * are those of the program; the table of modules says where each was loaded. */
#ifndef NATIVE_CONTROL_H
#define NATIVE_CONTROL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <unfold/explore.h>

#define CONTROL_VARIABLE "UNFOLD_CONTROL"
/* In a schedule, behind the name of the program. */
#define LEVEL_MARK    " --atomics "
#define QUIET_MARK    " --quiet "
#define MEMORY_MARK   " --memory "
#define QUIET_WHOLE   UINT64_MAX
#define CONTROL_MAGIC 0x756e66636f6e7431u

enum {
  MODULES_MAX = 256,
  FINDINGS_MAX = 128,
  INVOLVED_MAX = 16,
  HELD_MAX = 8,
  BEHIND_MAX = 16,
  RACES_MAX = 8192,
  RANGES_MAX = 512,
  WORDS_MAX = 4096,
  RESTARTS_MAX = 256,
  SITES_SEEN_MAX = 1 << 18,
  SITES_ROOM = 96 << 20,
  ACQUIRES_MAX = 64,
  REPEATED_MAX = 32,
  INITS_MAX = 64,
  QUIET_MAX = 256,
  BUSIEST_SLOTS = 1 << 12,
  IMPORTS_MAX = 2048,
  IMPORT_SIZE = 40,
  QUIET_TEXT = 16384,
  SAVED_HEAD_ROOM = 4 << 20,
  MEMORY_TEXT = 1 << 18,
  NAME_SIZE = 64,
  TOUCHED_MAX = 1024,
  TOUCHED_NAME = 256,
  TEXT_SIZE = 512,
  EVENTS_LISTED = 1000,
  EVENTS_ROOM = 4 << 20
};

/* What an object of the program is: X(NAME, "what it is called"). */
#define OBJECT_KIND_TABLE(X)                                                                       \
  X(MUTEX, "mutex")                                                                                \
  X(SPIN, "spin lock")                                                                             \
  X(ONCE, "once control")                                                                          \
  X(STREAM, "stream")                                                                              \
  X(CONDITION, "condition variable")                                                               \
  X(RWLOCK, "rwlock")                                                                              \
  X(SEMAPHORE, "semaphore")                                                                        \
  X(BARRIER, "barrier")                                                                            \
  X(THREAD, "end of a thread")                                                                     \
  X(SIGNAL, "signal")                                                                              \
  X(LOCATION, "atomic object")                                                                     \
  X(INIT, "initialisation of")                                                                     \
  X(FUTEX, "futex")

enum object_kind {
#define OBJECT_KIND_ENUM(name, text) OBJECT_##name,
  OBJECT_KIND_TABLE(OBJECT_KIND_ENUM)
#undef OBJECT_KIND_ENUM
      OBJECT_KINDS
};

enum finding_kind {
  FINDING_DEADLOCK,
  FINDING_LIVELOCK,
  FINDING_ASSERTION,
  FINDING_ABORT,
  FINDING_CRASH,
  FINDING_STATUS,
  FINDING_MISUSE,
  FINDING_UNDEFINED,
  FINDING_REORDERED
};

/* The number of a FINDING_MISUSE: X(NAME, "format of its text", where %s is the kind of object). */
#define MISUSE_TABLE(X)                                                                            \
  X(STRANGER, "a thread unlocks a %s that it does not hold")                                       \
  X(DESTROY, "a %s is destroyed while it is held")                                                 \
  X(DESTROYED, "a %s is used after it was destroyed")                                              \
  X(WAITED, "a %s is destroyed while threads wait for it")                                         \
  X(UNHELD, "a thread waits for a %s with a mutex that it does not hold")                          \
  X(JOINED, "two threads wait for the %s: only one of them can join it")                           \
  X(JOINED_AGAIN, "a thread waits for the %s that it has joined already")                          \
  X(EARLY, "a %s is used before it was initialised")                                               \
  X(INIT_HELD, "a %s is initialised while it is held")                                             \
  X(INIT_WAITED, "a %s is initialised while threads wait for it")

enum misuse {
#define MISUSE_ENUM(name, text) MISUSE_##name,
  MISUSE_TABLE(MISUSE_ENUM)
#undef MISUSE_ENUM
      MISUSES
};

enum output_mode { OUTPUT_DISCARD, OUTPUT_KEEP, OUTPUT_FIRST };

enum outcome {
  OUTCOME_NONE,     /* the worker has not said anything yet */
  OUTCOME_FINISHED, /* explored to the end, or the replay came to its end */
  OUTCOME_FIRST,    /* stopped at the first finding */
  OUTCOME_LIMIT,    /* a limit of the command line */
  OUTCOME_REFUSED,  /* the program did what cannot be controlled */
  OUTCOME_AGAIN,    /* to be explored once more from the start, with what `ranges` has */
  OUTCOME_INPUT,    /* a schedule that cannot be read, or written */
  OUTCOME_BROKEN    /* the front-end itself failed */
};

struct settings {
  unf_algorithm algorithm;
  uint32_t k;
  unf_order order;
  uint64_t max_timeouts, bound; /* UINT64_MAX: any number */
  uint64_t seed, probes, max_switches, max_preemptions;
  uint64_t max_executions, max_events, max_memory, collect;
  uint64_t runs, steps; /* runs: 0 where executions are not drawn */
  uint32_t depth;
  double max_seconds;
  bool stop_at_first, kill_at_exit, replay, standard_output_taken, fibers, in_place, races, ifaa;
  bool sites; /* read-modify-writes of code without callbacks are operations */
  bool learn; /* places that take a lock become waits for it */
  bool moves; /* and its other accesses to memory, where they race */
  /* No page is thought to be one thread's own: a thread may wait for what another one is to write
   * there. Tried once, when a thread does not go on. */
  bool none_owned, none_owned_tried;
  char lowered[NAME_SIZE * 2];   /* why less of that is seen than could be, or "" */
  char apart_because[NAME_SIZE]; /* why executions are not in place any more, or "" */
  uint64_t races_every, reorder;
  bool reorder_asked; /* else it is the default, for levels that do not see all accesses */
  int expect_exit;
  enum output_mode output;
  /* --jobs, where workers have no files or ports of their own: what is written is put down, but for
   * what is in this folder. */
  bool touches_watched;
  char own_folder[4096];
  int processor;    /* that it is pinned to; -1: the one that it is on */
  int items_socket; /* --jobs: where items come from and reports go to, or -1 */
  int step_socket;  /* replay: where the steps are printed, or -1 */
  /* Of a replay that nobody sees. What else is possible is sent too, from this step on, from 0;
   * UINT64_MAX: never. It ends after so many steps; UINT64_MAX: with the program. Steps that are
   * not possible are left out. At its end its steps are sent in the order with the fewest switches,
   * looked for in so many elementary steps; 0: not. */
  uint64_t choices_from, most_steps, order_steps;
  bool lenient;
  char program[TEXT_SIZE];
  char trace_folder[4096];
  char schedule[4096]; /* replay */
  char dot[4096];      /* "" writes none */
  char save[4096];     /* where to save the exploration, or "" */
  char go_on[4096];    /* the file to go on from, with the exploration at `image`; or "" */
  uint64_t image;
  double save_every;  /* 0: at the end only */
  bool list_events;   /* for --report */
  char scanner[4096]; /* the program that finds them; "": there is none */
};

/* Bytes of an aligned word of the program that are accessed atomically, beside others of the same
 * word that overlap with them. The word has the name that an atomic object there would have. */
struct byte_range {
  char creator[NAME_SIZE];
  uint64_t word;
  uint32_t first, size;
};

/* An object of the program that some threads may use before another one has initialised it, by the
 * name of its place. */
struct initialised {
  char creator[NAME_SIZE];
  uint64_t key;
};

/* A place whose accesses are left out, or all of a module (QUIET_WHOLE). Learned: because it uses
 * the same memory as another one. Met: there is such a place. */
struct quiet_place {
  char module[NAME_SIZE];
  uint64_t offset;
  bool learned, met;
};

/* How many events a place has. */
struct busy_place {
  uint64_t place, events;
};

/* What plain accesses may find in memory, beside what is their thread's own: bytes that are an
 * atomic object, or a page that another thread than its owner uses. */
enum word_where { WORD_IN_MODULE, WORD_ON_STACK, WORD_ON_HEAP, WORD_ANYWHERE };
struct shared_word {
  char owner[NAME_SIZE]; /* the thread whose stack or heap it is on */
  enum word_where where;
  uint64_t at;    /* by `where`: module and offset, distances, or the address */
  uint32_t size;  /* at most eight bytes; 0: pages, of which it is the first byte */
  uint32_t pages; /* how many */
};

/* A place that takes a lock by an exchange of 0, and waits where that fails; refuted: it does more
 * than that. Tested: by the execution that is compared now. */
struct acquire {
  uint32_t module;
  bool refuted, tested;
  uint64_t offset;
};

/* Read-modify-writes in the code of a module, and its other accesses (moves). */
struct module_sites {
  bool searched, readable;
  uint32_t functions, functions_left; /* that could not be decoded */
  uint32_t patched, trapped, left;    /* places; trapped ones are patched ones too */
  uint32_t moves, moves_trapped, moves_left;
  uint32_t outside; /* what looks like one, where no function is */
  uint32_t places;  /* in functions, without those left when they were found */
  uint32_t quiet;   /* those of them that are left out */
};

struct module {
  uint64_t base, low, high, text_low, text_high;
  char path[1024];
  bool libc;      /* the C library itself */
  bool excluded;  /* its code is never changed: the C library, this one */
  bool callbacks; /* it is compiled with callbacks, at least in part */
  bool quiet;     /* all its accesses are left out */
  struct module_sites sites;
};

/* A function of the C library of which nobody says what memory it accesses, and where a thread
 * called it first while there were several, or 0. */
struct import {
  uint64_t place;
  char name[IMPORT_SIZE];
};

/* Tables of modules, as examples/native/sites makes them. */
struct site_cache {
  uint64_t used;
  unsigned char bytes[SITES_ROOM];
};

struct held {
  enum object_kind kind;
  char name[NAME_SIZE];
  uint64_t address, place; /* of the object; where it was locked */
};

/* A thread that a finding is about. */
struct involved {
  char name[NAME_SIZE];
  char operation[NAME_SIZE]; /* what it waits for: "lock", "join", … */
  enum object_kind kind;     /* of the object, if address is not 0 */
  char target[NAME_SIZE];    /* the object or the thread, as text */
  uint64_t address;          /* of the object, or 0 */
  uint64_t place;
  char owner[NAME_SIZE];    /* of the object, or "" */
  uint64_t owner_place;     /* where it was locked, if its owner has ended or failed; or 0 */
  uint64_t lost_place;      /* of a condition variable: where it was notified in vain, or 0 */
  uint32_t arrived, needed; /* of a barrier, if needed is not 0 */
  char value[NAME_SIZE];    /* of an atomic object; or "" */
  bool in_cycle;
  uint32_t behind_count; /* in a replay: the events behind which it is blocked */
  uint64_t behind[BEHIND_MAX];
  uint32_t held_count;
  struct held held[HELD_MAX];
};

struct finding {
  enum finding_kind kind;
  uint64_t key;           /* equal for findings of equal kind and places */
  int number;             /* signal, exit status, or enum misuse */
  uint64_t count, probes; /* executions that have it, and probes */
  char text[TEXT_SIZE];   /* the assertion, the fault; may be empty */
  uint64_t step;          /* of a replay: it was there after so many */
  unsigned schedule;      /* the number of its file, or 0 */
  unsigned other;         /* of a FINDING_REORDERED: that of the other order */
  uint32_t involved_count, involved_total;
  struct involved involved[INVOLVED_MAX];
};

/* One that an exploration found that was begun again. */
struct known_finding {
  uint64_t key;
  unsigned schedule;
};

struct reported_access {
  char thread[NAME_SIZE];
  uint64_t place;
  bool write;
  uint64_t after; /* in a replay: the first half of the fingerprint of the event before it, or 0 */
};

/* Two accesses that nothing orders. */
struct reported_race {
  struct reported_access access[2];
  uint64_t address;
  char region[NAME_SIZE]; /* where that is, if it is no variable of a module; or "" */
  uint64_t count;         /* executions that have it; */
  uint64_t before;        /* of them, those of processes that this one goes on from */
  uint64_t step;          /* of a replay: it was there after so many */
  bool kept;              /* an execution that has it is over, and was not dropped */
  unsigned schedule;
};

/* Operations after which those of an execution are counted by their places. */
enum { LONG_EXECUTION = 1000 };

/* How often a thread came to an operation at a place since the execution was long: at least `count`
 * less `excess`. */
struct repeated {
  char thread[NAME_SIZE], operation[NAME_SIZE];
  unf_thread name;
  uint64_t place, count, excess;
};

/* The launcher sends it to a thread that does not go on; the last one, which hardly a program
 * uses. */
enum { STUCK_SIGNAL = 64 };

/* Where that thread was, by its answer. */
struct stuck {
  volatile bool answered;
  char thread[NAME_SIZE]; /* or "" */
  uint64_t place;         /* or 0 */
  char call[NAME_SIZE];   /* the system call that it was in, or ""; by the launcher */
  double seconds;         /* since its last operation; by the launcher */
};

/* The last answer to a replay whose steps could not be printed. */
enum { REPLAY_UNWRITTEN = 3 };

enum { CAUSES_MAX = 64 };

/* One step of a replay, sent over the socket and answered with one byte; or an action that is
 * possible before the step of that number, or a step in another order, which are not answered. */
struct reported_step {
  bool choice, ordered;
  uint64_t number, place, address;
  uint64_t start;    /* of the creation of a thread: the function that it begins with, or 0 */
  uint64_t event[2]; /* the fingerprint of its event */
  uint32_t cause_count;
  uint64_t causes[CAUSES_MAX]; /* first halves of those of what it directly follows */
  enum object_kind kind;
  char action[8 * NAME_SIZE];
};

/* The first events of the unfolding, as lines of text (preload/pictures.c). */
struct events {
  bool listed;
  uint32_t total, count; /* how many there are; how many lines */
  char text[EVENTS_ROOM];
};

/* Fields of struct control of the process under test that go on from processes before: what was
 * counted, and all that the report says was not seen. */
#define CARRIED(X)                                                                                \
  X(bool, operations_seen) X(bool, bound_met) X(bool, weaker_orders)                              \
  X(bool, timeouts_bounded) X(bool, code_later) X(bool, modules_later)                            \
  X(bool, no_room) X(uint32_t, modules_unlisted) X(uint32_t, wide_accesses)                       \
  X(uint32_t, threads_most) X(uint32_t, sites_met) X(uint32_t, sites_in_callbacks)                \
  X(uint32_t, findings_dropped) X(uint64_t, timeouts_most) X(uint64_t, waits)                     \
  X(uint64_t, waits_bounded) X(uint64_t, wait_place) X(uint64_t, bounded_place)                   \
  X(uint64_t, wide_place) X(uint64_t, callback_place) X(uint64_t, reordered)                      \
  X(uint64_t, reorder_number) X(uint64_t, differences) X(uint64_t, unlearned)                     \
  X(uint64_t, difference_place) X(uint64_t, left_behind) X(uint64_t, given_up)                    \
  X(uint64_t, livelocks) X(uint64_t, findings_total) X(uint64_t, races_seen)                      \
  X(uint64_t, apart) X(uint64_t, apart_place) X(unf_event, last_event)

/* What was seen by the processes that an exploration is continued from. */
struct carried {
  bool any;         /* there were such processes, */
  uint64_t modules; /* in which modules were at addresses that have this sum */
  double seconds;   /* that they had */
  uint64_t executions;
#define CARRY(type, field) type field;
  CARRIED(CARRY)
#undef CARRY
  char apart_call[NAME_SIZE];
  bool sites_seen[SITES_SEEN_MAX];
  struct busy_place busiest[BUSIEST_SLOTS];
  uint32_t import_count;
  struct import imports[IMPORTS_MAX];
  uint32_t finding_count;
  struct finding findings[FINDINGS_MAX];
  uint64_t races_found;
  struct reported_race races[RACES_MAX];
};

/* What the program has written, or taken for itself, by its name. */
struct touched {
  char name[TOUCHED_NAME];
  uint64_t place;
};

struct control {
  uint64_t magic, size;
  struct settings settings;
  /* What the process under test finds out and the next one, if it is begun again, has to know. */
  uint32_t range_count, restarts;
  struct byte_range ranges[RANGES_MAX];
  uint32_t word_count;
  struct shared_word words[WORDS_MAX];
  /* What explorations before this one found, with the numbers of schedules, which stay: whoever
   * finds it again needs no other. Schedules up to schedules_kept were written by them. */
  uint32_t known_count;
  struct known_finding known[FINDINGS_MAX];
  unsigned schedules_kept;
  uint32_t quiet_count;
  bool quiet_lines; /* places are still to be found by their lines */
  struct quiet_place quiet[QUIET_MAX];
  uint32_t level_restarts; /* restarts for another level, or for a quiet place */
  uint64_t raced;          /* races of code without callbacks, where an atomic object is now */
  bool joins_watched;      /* several threads join one: their order is explored */
  /* Objects whose initialisation is an operation. Watched: blocks of the heap have names, so that
   * there can be more of them. Off: the uses of one of them were in an order that was not seen. */
  bool inits_watched, inits_off;
  uint32_t init_count, init_restarts;
  struct initialised inits[INITS_MAX];
  uint32_t acquire_count, learn_restarts;
  struct acquire acquires[ACQUIRES_MAX];
  struct carried carried;
  struct site_cache site_cache;
  /* What stands in front of the exploration in a file that is saved. */
  double began; /* by the clock */
  uint32_t saved_head_size;
  char saved_head[SAVED_HEAD_ROOM];
  /* From here on written by the process under test. */
  enum outcome outcome;
  unf_switches switches;   /* of the order that was sent */
  char message[TEXT_SIZE]; /* for every outcome but FINISHED and FIRST */
  char refused_call[NAME_SIZE];
  uint64_t refused_object; /* an atomic object that it is about, or 0; and its name */
  char refused_name[NAME_SIZE];
  uint64_t place;               /* of what was refused */
  volatile uint64_t last_place; /* of the last operation offered */
  uint64_t timeouts_most;       /* of one thread in one execution */
  bool timeouts_bounded;        /* a wait with a time limit lasted because of max_timeouts */
  bool attached, operations_seen, callbacks_seen;
  bool calls_seen;    /* system calls with numbers of processes, wherever they are made */
  bool bound_met;     /* a thread was stopped because of settings.bound */
  bool weaker_orders; /* an atomic operation or fence that was not sequentially consistent */
  /* Why read-modify-writes of code without callbacks are not seen, or "". Those that were reached,
   * and those that were reached in a function that the C library had called. */
  char sites_off[NAME_SIZE * 2];
  uint32_t sites_met, sites_in_callbacks;
  uint64_t callback_place;
  /* Moves: `words` has more than when this exploration began, or should have; an atomic object has
   * a value that no operation gave it; how many accesses to atomic objects were no operations, as
   * they are too wide for one, and where the first was. */
  bool learned, no_room, stored_plainly;
  uint32_t wide_accesses;
  uint64_t wide_place;
  /* Loops in which a thread did nothing but read what another one is to change: how many times they
   * became waits, or ended (`bounded`), with the first place of both. */
  uint64_t waits, waits_bounded, wait_place, bounded_place;
  /* In executions: memory became executable; modules were loaded. */
  bool code_later, modules_later;
  uint32_t modules_unlisted; /* for which there was no room in `modules` */
  bool sites_seen[SITES_SEEN_MAX];
  /* Functions whose accesses are not known; whether calls of them cannot be noticed. */
  uint32_t import_count;
  bool imports_unwatched;
  struct import imports[IMPORTS_MAX];
  unf_event last_event; /* of those that were counted */
  struct busy_place busiest[BUSIEST_SLOTS];
  unf_counts counts;
  unf_estimate estimate;
  unf_sampling sampling;
  /* Executions in place: those that went on in a process of their own, and the first call that made
   * one do so; why none could be in place, or "". */
  uint64_t apart, apart_place;
  char apart_call[NAME_SIZE], fallback[NAME_SIZE];
  uint32_t threads_most;           /* alive at once, the main thread included */
  uint64_t reordered, differences; /* traces performed in another order, and that differed then */
  uint64_t reorder_number;         /* traces of which it was decided whether they are */
  uint64_t unlearned;              /* traces performed without what was learned */
  uint64_t difference_place;       /* of the first where plain loads may decide, or 0 */
  uint64_t left_behind, given_up, livelocks, findings_total, bytes;
  /* Files that could not be written: the number of the first schedule, and how many there are; what
   * went wrong with it, and with the DOT file, or "". */
  unsigned unwritten, unwritten_count;
  char unwritten_because[TEXT_SIZE], dot_because[TEXT_SIZE];
  bool saved;                      /* what is there to be continued from was written */
  char unsaved_because[TEXT_SIZE]; /* why it was not, or "" */
  uint64_t modules_sum;            /* of where they were when the program began */
  bool pictures_tried;
  volatile bool drawing; /* the DOT file and the list of events are being written */
  struct events events;
  uint32_t module_count, finding_count, findings_dropped;
  uint32_t findings_before; /* of them, those of processes that this was continued from */
  struct module modules[MODULES_MAX];
  struct finding findings[FINDINGS_MAX];
  uint64_t races_seen;  /* by the detector, for atomic objects */
  uint64_t races_found; /* there is room for RACES_MAX in `races` */
  struct reported_race races[RACES_MAX];
  /* How many the detector of this process has found, and where each is in `races`. */
  uint64_t races_met;
  uint16_t race_at[RACES_MAX];
  volatile uint64_t steps;  /* grows; the launcher watches it */
  uint64_t execution_steps; /* operations of the last execution */
  bool execution_ended;
  struct repeated repeated[REPEATED_MAX];
  volatile bool in_main;  /* the program came to main */
  volatile bool deciding; /* the execution is not in the program, but between two of its threads */
  volatile int task;      /* the kernel's number of the thread that runs; 0: that of its process */
  struct stuck stuck;
  volatile pid_t execution; /* the process of the current execution, or 0 */
  volatile int stop;        /* set by the launcher: an enum stop */
  volatile uint32_t touched_count;
  struct touched touched[TOUCHED_MAX];
  volatile uint64_t words_told; /* --jobs: how often the launcher passed something on */
};

/* --jobs: what executions had, since something counted last, in the frames of a report: so many of
 * the finding or race with that number in the block. */
enum shared_kind {
  SHARED_FINDING,
  SHARED_RACE,
  SHARED_LEFT_BEHIND,
  SHARED_GIVEN_UP,
  SHARED_TOUCHED,
  SHARED_KINDS
};
struct shared_found {
  uint32_t kind, index;
  uint64_t count;
};

enum stop { STOP_NONE, STOP_INTERRUPT, STOP_TIME, STOP_BUSY, STOP_BLOCKED };

/* The parts of the block that a file has which is saved: what the next exploration has to know, and
 * what was found. */
#define SAVED_PARTS(control)                                                                       \
  {                                                                                                \
    {(char *)&(control)->range_count, (char *)&(control)->carried},                                \
        {(char *)&(control)->outcome, (char *)&(control)->steps},                                  \
  }
enum { SAVED_PIECE = 4096 };
#define SAVED_BLOCK "unfold-block 1\n"

/* Whether the exploration ended to begin again as it is, with what is known of the program now: the
 * process that stands by does that, or else the launcher. */
static inline bool control_begins_again(const struct control *block) {
  const bool knows_more = block->learned && block->restarts < RESTARTS_MAX;
  return block->stop == STOP_NONE && ((block->outcome == OUTCOME_AGAIN && !block->stored_plainly) ||
                                      (block->outcome == OUTCOME_REFUSED && knows_more));
}

/* A number for a place that does not depend on where its module was loaded. */
static inline uint64_t control_place(const struct control *block, uint64_t place) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (uint32_t i = 0; i < block->module_count; i++) {
    const struct module *m = &block->modules[i];
    if (place < m->low || place > m->high) continue;
    for (const char *c = m->path; *c != '\0'; c++)
      hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
    return (hash ^ (place - m->base)) * 0x9e3779b97f4a7c15u;
  }
  return place;
}

#endif
