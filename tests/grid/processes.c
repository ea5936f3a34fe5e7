#include "tests/grid/processes.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    MOST_JOBS = 64
};

void *shared_memory(size_t bytes) {
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

/* The processes that run now: pids[i] does task index[i]; 0: none. */
struct running {
    pid_t pids[MOST_JOBS];
    size_t index[MOST_JOBS];
    unsigned jobs;
};

static void start(const struct tasks *tasks, struct running *running, unsigned slot, size_t index) {
    (void)fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        (void)alarm(tasks->most_seconds);
        tasks->run(tasks->context, index);
        (void)fflush(stdout);
        _exit(0);
    }
    if (child < 0) {
        tasks->died(tasks->context, index, "no process for it");
        return;
    }
    running->pids[slot] = child;
    running->index[slot] = index;
}

static void await(const struct tasks *tasks, struct running *running) {
    int status = 0;
    pid_t child = wait(&status);
    for (unsigned slot = 0; slot < running->jobs; slot++) {
        if (child <= 0 || running->pids[slot] != child) {
            continue;
        }
        running->pids[slot] = 0;
        if (WIFSIGNALED(status)) {
            tasks->died(tasks->context, running->index[slot],
                        WTERMSIG(status) == SIGALRM ? "it does not end" : "it crashes");
        } else if (WEXITSTATUS(status) != 0) {
            tasks->died(tasks->context, running->index[slot], "it is aborted"); /* by a sanitizer */
        }
    }
}

static unsigned count_running(const struct running *running) {
    unsigned count = 0;
    for (unsigned slot = 0; slot < running->jobs; slot++) {
        count += running->pids[slot] != 0;
    }
    return count;
}

void run_tasks(const struct tasks *tasks) {
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned jobs = tasks->jobs > 0 ? tasks->jobs : processors > 0 ? (unsigned)processors : 1;
    struct running running = {.jobs = jobs < MOST_JOBS ? jobs : MOST_JOBS};
    for (size_t index = 0; index < tasks->count; index++) {
        if (count_running(&running) == running.jobs) {
            await(tasks, &running);
        }
        unsigned slot = 0;
        while (running.pids[slot] != 0) {
            slot++;
        }
        start(tasks, &running, slot, index);
    }
    while (count_running(&running) > 0) {
        await(tasks, &running);
    }
}
