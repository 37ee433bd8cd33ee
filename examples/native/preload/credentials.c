/* Messages over sockets that say from which process they come (SCM_CREDENTIALS): the sender may
 * say it, and the system accepts its own number; the receiver gets that of the system. */
#include "credentials.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "identity.h"
#include "numbers.h"

enum { CONTROL_SIZE = 4096 };

/* Only one thread runs, up to the end of the call. */
static struct msghdr message;
static _Alignas(struct cmsghdr) char control_data[CONTROL_SIZE];

static bool names_process(const struct cmsghdr *part) {
  return part->cmsg_level == SOL_SOCKET && part->cmsg_type == SCM_CREDENTIALS &&
         part->cmsg_len >= CMSG_LEN(sizeof(struct ucred));
}

/* Copies a message of the program with what comes beside its data; false: there is nothing. */
static bool read_message(uint64_t from) {
  if (!numbers_read(&message, from, sizeof message)) return false;
  if (message.msg_control == NULL || message.msg_controllen > sizeof control_data) return false;
  uint64_t control_from = (uint64_t)(uintptr_t)message.msg_control;
  if (!numbers_read(control_data, control_from, message.msg_controllen)) return false;
  message.msg_control = control_data;
  return true;
}

void credentials_enter(struct numbered_call *call) {
  bool changed = false;
  if (call->number != SYS_sendmsg || !read_message((uint64_t)call->arguments[1])) return;
  for (struct cmsghdr *part = CMSG_FIRSTHDR(&message); part != NULL;
       part = CMSG_NXTHDR(&message, part)) {
    struct ucred sender;
    if (!names_process(part)) continue;
    memcpy(&sender, CMSG_DATA(part), sizeof sender);
    int real = identity_real(sender.pid);
    if (real == 0) continue;
    sender.pid = real;
    memcpy(CMSG_DATA(part), &sender, sizeof sender);
    changed = true;
  }
  if (changed) call->arguments[1] = (long)&message;
}

void credentials_leave(const struct numbered_call *call) {
  if (call->number != SYS_recvmsg || !read_message((uint64_t)call->arguments[1])) return;
  char *there = ((const struct msghdr *)call->arguments[1])->msg_control;
  for (struct cmsghdr *part = CMSG_FIRSTHDR(&message); part != NULL;
       part = CMSG_NXTHDR(&message, part)) {
    struct ucred sender;
    if (!names_process(part)) continue;
    memcpy(&sender, CMSG_DATA(part), sizeof sender);
    sender.pid = identity_shown(sender.pid);
    memcpy(there + ((char *)CMSG_DATA(part) - control_data), &sender, sizeof sender);
  }
}
