/* Many independent tasks, each in a process of its own: one that crashes or does not end is one
 * wrong result, and as many run at a time as there are cores. */
#ifndef WEFT_TESTS_GRID_PROCESSES_H
#define WEFT_TESTS_GRID_PROCESSES_H

#include <stddef.h>

struct tasks {
    size_t count;
    unsigned jobs;         /* at a time; 0: as many as there are processors */
    unsigned most_seconds; /* that one may take; 0: no limit */
    void *context;
    /* What it has to say goes to shared memory. */
    void (*run)(void *context, size_t index);
    /* Called in the first process when a task crashed or did not end; `how` says which. */
    void (*died)(void *context, size_t index, const char *how);
};

/* Zeroed memory that the tasks and their starter share, or NULL. It is never given back. */
void *shared_memory(size_t bytes);

void run_tasks(const struct tasks *tasks);

#endif
