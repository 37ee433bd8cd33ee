/* Modules of the program, and places in their code. */
#ifndef NATIVE_CONTROL_MODULES_H
#define NATIVE_CONTROL_MODULES_H

#include <stdbool.h>
#include <stdint.h>

#include "texts.h"

enum { MODULES_MAX = 256, SITES_SEEN_MAX = 1 << 18, BUSIEST_SLOTS = 1 << 12 };
enum { IMPORTS_MAX = 2048, IMPORT_SIZE = 40 };
enum { SITES_ROOM = 96 << 20 };
enum { QUIET_MAX = 256 };
#define QUIET_WHOLE UINT64_MAX

/* Read-modify-writes in the code of a module, and its other accesses (moves). */
struct module_sites {
  bool searched, readable;
  uint32_t functions, functions_left; /* that could not be decoded */
  uint32_t patched, trapped, left;    /* places; trapped ones are patched ones too */
  uint32_t moves, moves_trapped, moves_left;
  uint32_t outside; /* what looks like one, where no function is */
  uint32_t places;  /* in functions, without those left when they were found */
  uint32_t quiet;   /* those of them that are left out */
  uint32_t unknown; /* pieces of code that are in no function, and the first of them */
  uint64_t unknown_at;
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

/* Tables of modules, as examples/native/sites makes them. */
struct site_cache {
  uint64_t used;
  unsigned char bytes[SITES_ROOM];
};

#endif
