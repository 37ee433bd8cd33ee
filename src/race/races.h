/*
 * The detector. Memory is cut into cells of 8 bytes. A cell has a list of records, one for each
 * thread, place, kind and set of bytes that accessed it, with the last event of the thread before
 * its latest such access. The latest is enough: if it comes before some later access, so do those
 * before it, and if one of those is in a race with that, so is the latest.
 *
 * Whether a record comes before an access is one comparison. The cut of the event f that the access
 * follows has, at the site of the record's thread t, the last event of t in [f]. It is later than
 * the event e of the record exactly when the next event of t after e is in [f]. Handles grow along
 * the path, so "later" is "larger". A clock is that row of a cut, with NONE for the threads that
 * are joined in [f]; it depends on f alone.
 *
 * Memory is often cleared, copied or freed in large pieces. A page, of 4096 bytes, is a cell too:
 * an access of all of its bytes has one record there, in place of 512. An access of a word is
 * compared with the records of its page, and one of a page with those of the page's words, which
 * are in a list: so a large piece costs what was accessed in it, and a little for each page.
 *
 * What an execution does to cells is logged, so that the steps that the next one shares with it
 * need not be performed again.
 */
#ifndef RACE_RACES_H
#define RACE_RACES_H

#include <unfold/race.h>

#include "structure/unfolding.h"

enum { CELL_SHIFT = 3, CELL_BYTES = 1 << CELL_SHIFT, PAGE_WORDS = 512, WHOLE_CELL = 0xff };
#define OF_PAGE ((uint64_t)1 << 63)

struct cell {
  uint64_t word;  /* address >> CELL_SHIFT; of a page: that of its first word, with OF_PAGE */
  uint32_t first; /* record, 0: none */
  uint32_t page;  /* the cell of its page; of a page: the last one of its words, 0: none */
  uint32_t next;  /* of the same page, 0: none */
};

struct access_record {
  uint64_t place;
  uint32_t next;   /* next record of the same cell, 0: none */
  uint32_t thread; /* the thread that made the access */
  uint32_t after;  /* its last event before the access */
  uint8_t mask;    /* bytes of the cell */
  bool write;
};

/* A word that was overwritten: the first record of a cell, or the event of a record. */
#define OF_RECORD 0x80000000u
struct change {
  uint32_t index; /* of a cell; or of a record, with OF_RECORD */
  uint32_t old;
};

struct step {
  uint32_t event;
  uint32_t before;           /* the last event of its thread before it */
  uint32_t changes, records; /* how many of each there were when it was performed */
};

struct found {
  unf_race race;
  uint32_t after[2]; /* events of its threads before the accesses; NONE: freed since */
  uint64_t counted;  /* number of the last execution that the race counted */
  /* As it was seen in that execution, or in one with the same steps. */
  struct seen_race {
    unf_access first, second;
    uint64_t execution, steps;
  } last;
};

/* A race of the current execution, and the steps after which it was first seen there. */
struct listed_race {
  uint32_t race;
  uint32_t steps;
};

struct clock {
  uint32_t event; /* the event whose clock it is, or NONE */
  VECTOR(uint32_t) entries;
};

struct unf_races {
  unf_unfolding *u;
  struct holder holder; /* called when events get new handles */
  uint64_t every, seed, before;
  unf_races_counts counts;
  bool watched;     /* whether the current execution is */
  uint64_t checked; /* its first steps, whose accesses were compared in an earlier execution */
  uint64_t common;  /* first steps of the last watched execution that all later ones share */
  uint32_t started; /* number of threads that have started */
  VECTOR(struct step) path;
  VECTOR(uint32_t) joins; /* the joins on the path */
  VECTOR(uint32_t) last;  /* by thread: its last event on the path, NONE: not started */
  VECTOR(struct clock) clocks;
  VECTOR(struct cell) cells; /* the first element is not used, so that 0 is none */
  struct table cell_table;
  VECTOR(struct access_record) records; /* the first element is not used */
  VECTOR(struct change) changes;
  VECTOR(struct found) found; /* the first element is not used */
  struct table found_table;   /* by places */
  VECTOR(struct listed_race) standing;
};

/* Makes the clock of a thread at its last event; returns false when refused. */
bool unfi_race_clock(unf_races *r, uint32_t thread);

static inline bool race_unchecked(const unf_races *r) {
  return r->checked == 0 || r->path.count > r->checked;
}

#endif
