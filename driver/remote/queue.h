/* Who has the device of a server, and who waits for it, in the order of asking. */
#ifndef WEFT_DRIVER_REMOTE_QUEUE_H
#define WEFT_DRIVER_REMOTE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>

enum {
    QUEUE_SESSIONS = 256, /* that a server can have at a time, with those that have not asked */
    QUEUE_NOBODY = -1,
};

/* Sessions are numbers below QUEUE_SESSIONS. */
struct queue {
    int holder; /* that has the device; QUEUE_NOBODY */
    int waiting[QUEUE_SESSIONS];
    size_t count;
    size_t most; /* that can wait, less than QUEUE_SESSIONS */
};

struct queue queue_new(size_t most);

/* The session asks for the device, once. False: too many wait already. */
bool queue_ask(struct queue *queue, int session);

/* The session has ended, wherever it was. */
void queue_leave(struct queue *queue, int session);

/* Gives the device to who waits first, where nobody has it. Returns that session, or QUEUE_NOBODY
 * when nothing changes. */
int queue_grant(struct queue *queue);

/* How many are to have the device before a session that waits, the one that has it included. */
size_t queue_before(const struct queue *queue, int session);

#endif
