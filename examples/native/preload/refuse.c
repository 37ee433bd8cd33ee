/* Endings that no execution survives: the program did what cannot be controlled, a limit, or a
 * failure of our own. The launcher says what happened; here it is only written down. */
#include "refuse.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "../control.h"
#include "accesses.h"
#include "crash.h"
#include "entry.h"
#include "findings.h"
#include "reorder.h"
#include "system_call.h"

/* Ends the process. In a replay, the process that prints the steps finishes first. */
_Noreturn void leave(int status) {
  int socket = control->settings.step_socket;
  if (control->settings.replay && socket >= 0) {
    char answer = 0;
    raw_call(SYS_shutdown, socket, SHUT_WR, 0, 0);
    while (raw_call(SYS_read, socket, (long)&answer, 1, 0) > 0)
      continue;
    if (status == 0) status = answer; /* REPLAY_UNWRITTEN, or nothing */
  }
  for (;;)
    raw_call(SYS_exit_group, status, 0, 0, 0);
}

_Noreturn void give_up(enum outcome outcome, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(control->message, sizeof control->message, format, arguments);
  va_end(arguments);
  if (outcome == OUTCOME_REFUSED && running && pending->reorder.running)
    reorder_refused(control->message);
  if (running) accesses_flush();
  control->outcome = outcome;
  if (control->settings.replay && pending != NULL) findings_keep(false);
  /* Beyond what it was made for, a replay may come to what cannot be explored. */
  if (control->settings.replay && outcome == OUTCOME_REFUSED && control->finding_count > 0)
    leave(1);
  leave(outcome == OUTCOME_REFUSED ? 4 : outcome == OUTCOME_LIMIT ? 3 : 2);
}

_Noreturn void refuse(const char *call, uint64_t place) {
  snprintf(control->refused_call, sizeof control->refused_call, "%s", call);
  control->place = program_place(place);
  give_up(OUTCOME_REFUSED, "%s is not supported", call);
}
