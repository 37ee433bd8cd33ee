/* A function of the program that ends in a call leaves the stack to what it calls, which then seems
 * to be called from where the function itself was. So these calls are all in one place. */
#include "program.h"

#define HERE __attribute__((noinline, section("program_calls")))

extern const char __start_program_calls[], __stop_program_calls[];

HERE long unfold_program(plain_function *function, long a, long b, long c) {
  const long result = ((long (*)(long, long, long))function)(a, b, c);
  __asm__ volatile("" : : : "memory"); /* it does not end in a call itself */
  return result;
}

bool program_called(uint64_t place) {
  return place >= (uint64_t)(uintptr_t)__start_program_calls &&
         place < (uint64_t)(uintptr_t)__stop_program_calls;
}
