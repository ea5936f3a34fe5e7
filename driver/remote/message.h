/* What a server and its workers say to each other: packets, some with an open file. */
#ifndef WEFT_DRIVER_REMOTE_MESSAGE_H
#define WEFT_DRIVER_REMOTE_MESSAGE_H

#include <stdatomic.h>

#include "base/sha256.h"
#include "driver/remote/queue.h"
#include "driver/remote/served_session.h"

enum message_kind {
    /* From a worker: */
    MESSAGE_ASK = 1, /* it asks for the device */
    MESSAGE_FIND,    /* an image of this hash and length, answered by FOUND or MISSING */
    MESSAGE_KEEP,    /* this file is one */
    /* From the server: */
    MESSAGE_GRANTED, /* the worker has the device */
    MESSAGE_BEFORE,  /* `number` sessions are to have it before */
    MESSAGE_BUSY,    /* and so many that no more can wait */
    MESSAGE_FOUND,
    MESSAGE_MISSING,
};

struct message {
    uint32_t kind;
    uint32_t number;
    uint64_t length;
    uint8_t hash[WEFT_SHA256_BYTES];
};

/* Sends a message, with a file that stays the caller's; -1: none. Does not wait. False when it
 * cannot be sent: the other side has gone, or does not listen. */
bool message_send(int socket, const struct message *message, int file);

/* Receives a message that is there, or waits for one. *file is the caller's, -1: none came. False
 * when the other side has gone, or sends anything else. */
bool message_receive(int socket, bool waits, struct message *message, int *file);

/* Why a session is ended. */
enum ending {
    ENDING_NO,
    ENDING_LATE,     /* it did not ask for the device in time */
    ENDING_LEASE,    /* it did nothing while others waited */
    ENDING_DEADLINE, /* it took too long */
};

/* Memory that a server has in common with its workers. */
struct shared {
    atomic_uint_least32_t in_use; /* the device */
    atomic_uint_least32_t waiting;
    struct {
        struct serving_state state;
        atomic_int ending;
    } sessions[QUEUE_SESSIONS];
};

#endif
