#include "compiler/quantize/samples.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>

#include "base/memory.h"
#include "base/parallel.h"

bool weft_sample_check(size_t sample, const struct weft_type *input, const void *elements,
                       struct weft_error *error) {
    const float *values = elements;
    for (int64_t i = 0; input->dtype == WEFT_F32 && i < weft_type_elements(input); i++) {
        if (!isfinite(values[i])) {
            return weft_fail(error, WEFT_ARGUMENT, sample,
                             "sample %zu: element %" PRId64 " is not a finite number", sample, i);
        }
    }
    return true;
}

struct walk_state {
    const struct weft_sample_walk *walk;
    size_t count;
    pthread_mutex_t lock; /* of what follows */
    size_t done;
    bool failed;
    struct weft_error error; /* the first one */
};

static void note_failure(struct walk_state *state, const struct weft_error *error) {
    pthread_mutex_lock(&state->lock);
    if (!state->failed) {
        state->error = *error;
    }
    state->failed = true;
    pthread_mutex_unlock(&state->lock);
}

/* False when another thread has failed. */
static bool note_sample(struct walk_state *state) {
    const struct weft_sample_walk *walk = state->walk;
    pthread_mutex_lock(&state->lock);
    bool go_on = !state->failed;
    state->done++;
    if (walk->progress != NULL) {
        walk->progress(walk->progress_context, state->done, state->count);
    }
    pthread_mutex_unlock(&state->lock);
    return go_on;
}

static void walk_part(void *context, unsigned thread, size_t part) {
    struct walk_state *state = context;
    const struct weft_sample_walk *walk = state->walk;
    struct weft_error error;
    size_t first = state->count * part / WEFT_SAMPLE_PARTS;
    size_t end = state->count * (part + 1) / WEFT_SAMPLE_PARTS;
    bool good = walk->begin == NULL || walk->begin(walk->context, thread, part, &error);
    for (size_t i = first; good && i < end; i++) {
        good = walk->sample(walk->context, thread, part, i, &error);
        if (good && !note_sample(state)) {
            return;
        }
    }
    if (!good) {
        note_failure(state, &error);
    } else if (walk->end != NULL) {
        walk->end(walk->context, thread, part);
    }
}

bool weft_walk_samples(const struct weft_sample_walk *walk, struct weft_error *error) {
    struct walk_state state = {.walk = walk, .count = walk->samples->count};
    if (walk->limit > 0 && walk->limit < state.count) {
        state.count = walk->limit;
    }
    if (pthread_mutex_init(&state.lock, NULL) != 0) {
        return weft_no_memory(error, "a lock");
    }
    weft_parallel(WEFT_SAMPLE_PARTS, weft_cores(), walk_part, &state);
    pthread_mutex_destroy(&state.lock);
    if (state.failed) {
        *error = state.error;
    }
    return !state.failed;
}
