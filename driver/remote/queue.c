#include "driver/remote/queue.h"

#include <string.h>

struct queue queue_new(size_t most) {
    return (struct queue){.holder = QUEUE_NOBODY,
                          .most = most < QUEUE_SESSIONS ? most : QUEUE_SESSIONS - 1};
}

bool queue_ask(struct queue *queue, int session) {
    bool is_free = queue->holder == QUEUE_NOBODY && queue->count == 0;
    if (!is_free && queue->count >= queue->most) {
        return false;
    }
    queue->waiting[queue->count++] = session;
    return true;
}

void queue_leave(struct queue *queue, int session) {
    if (queue->holder == session) {
        queue->holder = QUEUE_NOBODY;
    }
    for (size_t i = 0; i < queue->count; i++) {
        if (queue->waiting[i] == session) {
            queue->count--;
            memmove(&queue->waiting[i], &queue->waiting[i + 1],
                    (queue->count - i) * sizeof queue->waiting[0]);
            return;
        }
    }
}

int queue_grant(struct queue *queue) {
    if (queue->holder != QUEUE_NOBODY || queue->count == 0) {
        return QUEUE_NOBODY;
    }
    int next = queue->waiting[0];
    queue_leave(queue, next);
    queue->holder = next;
    return next;
}

size_t queue_before(const struct queue *queue, int session) {
    size_t before = queue->holder == QUEUE_NOBODY ? 0 : 1;
    for (size_t i = 0; i < queue->count && queue->waiting[i] != session; i++) {
        before++;
    }
    return before;
}
