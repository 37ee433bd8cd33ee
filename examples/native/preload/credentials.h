/* Messages over sockets that say from which process they come. */
#ifndef NATIVE_PRELOAD_CREDENTIALS_H
#define NATIVE_PRELOAD_CREDENTIALS_H

struct numbered_call;

/* sendmsg, before it is performed; recvmsg, after it was. */
void credentials_enter(struct numbered_call *call);
void credentials_leave(const struct numbered_call *call);

#endif
