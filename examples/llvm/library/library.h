/*
 * The C library of programs in unfold-sym: what they call and do not have themselves, as far as it
 * can be written in C. It is compiled to bitcode and explored as a part of the program (see
 * ../translate_library.c), so that inputs may flow through it. What is declared here is done by
 * unfold-sym (../calls.c and others), or is shared by the files of the library.
 */
#ifndef LIBRARY_H
#define LIBRARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* Locks named by an address: what is done under one is ordered. */
void __unfold_lock(const volatile void *address);
int __unfold_trylock(const volatile void *address); /* EBUSY, or 0 */
void __unfold_unlock(const volatile void *address);
/* An atomic operation was asked for with this order, as an enum memory_order. */
void __unfold_order(int order);
int __unfold_holds(const volatile void *address);
/* Whether the thread knows that it is the only one there was: it is the first, and made none. */
int __unfold_alone(void);
/* Ends the thread with a misuse: a spin lock that is destroyed while it is held, or used after. */
_Noreturn void __unfold_misused(int after);
/* The nanoseconds that have passed for the thread, after so many more. */
int64_t __unfold_time(int64_t more);
/* Memory of the library, which is no leak where the program does not free it. */
void *__unfold_allocate(size_t size);
/* Ends the thread: what was done has no meaning. */
_Noreturn void __unfold_wrong(const char *what);
/* Ends the thread: the process gets a signal that ends it. */
_Noreturn void __unfold_killed(const char *signal);
/* Ends the exploration: what is named is not supported. */
_Noreturn void __unfold_unsupported(const char *what);
/* Whether a value depends on inputs; whether the caller's result is used; the bits of a number. */
int __unfold_depends(int64_t value);
int __unfold_is_used(void);
int64_t __unfold_bits(double value);
int64_t __unfold_digits(long double value); /* its lower 64 bits */
/* The bytes from an address to the end of its object; accesses so many as one who reads them. */
size_t __unfold_room(const void *address);
void __unfold_reads(const void *from, size_t size);
/* A number of 128 bits. */
struct wide {
  uint64_t low, high;
};
/* Numbers as texts: the size of what was written, or read. */
int __unfold_format_double(char *to, size_t size, const char *format, int width, int precision,
                           double value);
int __unfold_format_extended(char *to, size_t size, const char *format, int width, int precision,
                             long double value);
size_t __unfold_parse_float(const char *text, float *value);
size_t __unfold_parse_double(const char *text, double *value);
size_t __unfold_parse_extended(const char *text, long double *value);
/* What frexp() comes to, and what it writes. */
double __unfold_fraction(double x);
float __unfold_fractionf(float x);
long double __unfold_fractionl(long double x);
int __unfold_exponent(double x);
int __unfold_exponentf(float x);
int __unfold_exponentl(long double x);
/* The bytes of a file: a number for them, or below 0. The standard input is 0. */
int64_t __unfold_file(const char *path);
int64_t __unfold_file_size(int64_t file);
void __unfold_file_read(int64_t file, int64_t offset, void *to, int64_t size);

/* What the file of a path is (its st_mode); below 0: there is none. The current directory. */
int __unfold_file_mode(const char *path);
void __unfold_directory(char *to, size_t size);
/* The bytes that a peer of the command line sends, as a file; below 0: there are not so many
 * peers. Whether it stays behind them; where the packet ends that begins before this byte. */
int64_t __unfold_peer(int64_t number);
int __unfold_peer_stays(int64_t file);
int64_t __unfold_packet_end(int64_t file, int64_t at);
/* The number, which does not depend on inputs then: each of its values is an outcome. */
int64_t __unfold_known(int64_t number);
/* Whether one more time limit may be over; what is beyond that is not explored. */
int __unfold_times_out(void);
/* The signals that the thread blocks, as bits, and with `set` those from now on. */
int64_t __unfold_signal_mask(int set, int64_t bits);
/* Waits until what is there has such a relation to the value; who makes it so is in the program, or
 * outside. Then it may be exchanged. Returns what was there. */
enum { UNEQUAL = 1, GREATER = 4 }; /* of unf_relation */
uint64_t __unfold_await(volatile void *object, size_t size, int relation, uint64_t value,
                        bool exchanges, uint64_t desired);
uint64_t __unfold_await_outside(volatile void *object, size_t size, int relation, uint64_t value,
                                bool exchanges, uint64_t desired);

#endif
