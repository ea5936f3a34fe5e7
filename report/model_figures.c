#include "report/model_figures.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/checked.h"
#include "base/limit.h"
#include "base/memory.h"

static bool make_room(const struct weft_module *module, struct model_figures *figures,
                      struct weft_error *error) {
    uint32_t count = module->segment_count;
    uint32_t segment = 0;
    uint32_t number = 1;
    *figures = (struct model_figures){
        .segment_count = count,
        .numbers = weft_allocate(count, sizeof *figures->numbers, "numbers of rows", error),
        .segments = weft_allocate(count, sizeof *figures->segments, "figures", error)};
    if (figures->numbers == NULL || figures->segments == NULL) {
        return false;
    }
    for (size_t i = 0; i < module->graph->node_count; i++) {
        const struct weft_node *node = module->graph->nodes[i];
        if (weft_is_machine_region(node)) {
            figures->numbers[segment] = number;
            number += module->segments[segment++].layer_count;
        } else if (weft_is_host_operator(node)) {
            number++;
        }
    }
    return true;
}

/* Regions of frames one after the other are carried out for all frames before the next one is. */
static void add_period(const struct weft_module *module, uint32_t index,
                       const struct weft_trace *trace, struct model_figures *figures) {
    double period =
        module->one_by_one ? weft_frame_period(&module->segments[index], trace, module->frames) : 0;
    bool has_some = index == 0 || figures->frame_period > 0;
    figures->frame_period = has_some && period > 0 ? figures->frame_period + period : 0;
}

static bool figures_of_trace(const struct weft_module *module, uint32_t index,
                             const struct weft_trace *trace, struct model_figures *figures,
                             struct weft_error *error) {
    struct weft_history history;
    if (!weft_history_make(trace, &history, error)) {
        return false;
    }
    bool good =
        weft_figures_make(&module->segments[index], &history, &figures->segments[index], error);
    add_period(module, index, trace, figures);
    for (unsigned i = 0; i < WEFT_COUNTERS; i++) {
        figures->counters[i] =
            weft_add_saturated(figures->counters[i], weft_counter_get(&trace->result.counters, i));
    }
    weft_history_free(&history);
    return good;
}

bool figures_of_traces(const struct weft_module *module, const struct weft_trace_file *traces,
                       struct model_figures *figures, struct weft_error *error) {
    struct model_figures made;
    bool good = make_room(module, &made, error);
    for (uint32_t i = 0; good && i < module->segment_count; i++) {
        good = figures_of_trace(module, i, &traces->segments[i], &made, error);
    }
    if (!good) {
        model_figures_free(&made);
        return false;
    }
    *figures = made;
    return true;
}

/* The same cycles: what is said about them would be about another run. */
static bool check_cycles(uint32_t index, const struct weft_segment_run *run,
                         const struct weft_trace *trace, struct weft_error *error) {
    uint64_t ran = run->result.counters.cycles;
    uint64_t modelled = trace->result.counters.cycles;
    return ran == modelled ||
           weft_fail(error, WEFT_DIVERGENCE, modelled,
                     "segment %" PRIu32 " took %" PRIu64 " cycles, the cycle model counts %" PRIu64,
                     index, ran, modelled);
}

static bool figures_of_segment(const struct weft_module *module, const struct weft_session *session,
                               const struct weft_session_options *options, uint32_t index,
                               struct weft_trace_room *room, struct model_figures *figures,
                               struct weft_error *error) {
    struct weft_trace trace;
    const struct weft_segment_run *run = weft_session_segment(session, index);
    if (!trace_segment(module, index, options, room, &trace, error)) {
        return false;
    }
    bool good = check_cycles(index, run, &trace, error) &&
                figures_of_trace(module, index, &trace, figures, error);
    weft_trace_free(&trace);
    return good;
}

bool figures_of_session(const struct weft_module *module, const struct weft_session *session,
                        const struct weft_session_options *options, uint64_t memory_limit,
                        struct model_figures *figures, struct weft_error *error) {
    struct model_figures made;
    bool good = make_room(module, &made, error);
    for (uint32_t i = 0; good && i < module->segment_count; i++) {
        struct weft_trace_room room = {.limit = weft_memory_limit(memory_limit),
                                       .used = weft_session_memory(session),
                                       .is_bare = true};
        good = figures_of_segment(module, session, options, i, &room, &made, error);
    }
    if (!good) {
        model_figures_free(&made);
        return false;
    }
    *figures = made;
    return true;
}

void model_figures_free(struct model_figures *figures) {
    for (uint32_t i = 0; figures->segments != NULL && i < figures->segment_count; i++) {
        weft_figures_free(&figures->segments[i]);
    }
    free(figures->segments);
    free(figures->numbers);
    *figures = (struct model_figures){0};
}

void verdict_text(char *text, size_t size, const struct weft_verdict *verdict, uint32_t number) {
    double percent = 100 * verdict->share;
    if (verdict->layer >= 0) {
        (void)snprintf(text, size, "waits for %" PRIu32 " %.0f %%",
                       number + (uint32_t)verdict->layer, percent);
    } else if (verdict->use != WEFT_USES) {
        (void)snprintf(text, size, "%s %.0f %%", weft_use_names[verdict->use], percent);
    } else {
        (void)snprintf(text, size, "%s", verdict->is_hidden ? "hidden" : "-");
    }
}
