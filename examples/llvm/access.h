/* Memory as instructions use it, with its errors and races. False: the thread stands. */
#ifndef LLVM_ACCESS_H
#define LLVM_ACCESS_H

#include "machine.h"

bool machine_read(struct machine *m, struct thread *t, struct value address, unsigned width,
                  struct value *value);
bool machine_write(struct machine *m, struct thread *t, struct value address, unsigned width,
                   struct value value);
/* Bytes that a function of the library reads or writes itself. */
bool machine_touch(struct machine *m, struct thread *t, uint64_t address, uint64_t size,
                   bool writes);
/* Where an access goes: an address, or somewhere in an object, if that depends on inputs. */
struct aim {
  struct value address;
  uint64_t first, last; /* the lowest and the highest address, if it depends on inputs */
};
/* Decides where. An access that can meet bytes that race has an address that is known. */
bool machine_aim(struct machine *m, struct thread *t, struct value address, unsigned width,
                 bool writes, struct aim *aim);
bool machine_read_at(struct machine *m, struct thread *t, const struct aim *aim, unsigned width,
                     struct value *value);
bool machine_write_at(struct machine *m, struct thread *t, const struct aim *aim, unsigned width,
                      struct value value);
/* Tells the race detector of an access, with more bits in its place. */
bool machine_note_access(struct machine *m, struct thread *t, uint64_t address, uint64_t size,
                         bool writes, uint64_t more);
/* Says what is wrong with an access. */
enum flow machine_bad_access(struct machine *m, struct thread *t, enum access access,
                             uint64_t address, bool writes);
/* What is at these bytes from now on is another object, for the race detector. */
void machine_forget_accesses(struct machine *m, uint64_t address, uint64_t size);
/* A place that the race detector was given: where it is, and the set of facts under which the
 * access is made. */
uint64_t machine_access_place(const struct machine *m, uint64_t place, uint32_t *set);
/*
 * What is made here, at an address that depends on inputs, overlaps an access of another thread for
 * no inputs, though nothing orders the two. What memory holds in between is a term in which the
 * other thread's write stands or not, by who came first, so that it is no function of what the
 * reader did before. Where that has made a thread do something else after the same history, threads
 * perform a branch at all such places from now on, with an outcome for each address, and the
 * exploration begins again. False: all of them do already.
 */
void machine_note_apart(struct machine *m, uint64_t place);
bool machine_decide_addresses(struct machine *m);

#endif
