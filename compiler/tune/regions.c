/* Tuning begins with the regions of a module, and has the best schedule of each. */
#include "compiler/tune/tuning.h"

#include <stdlib.h>

#include "base/memory.h"

enum {
    SHORT_PROGRAM = 1000 /* instructions: it is counted as a whole */
};

const char *const tune_strategy_names[TUNE_STRATEGIES + 1] = {"climb", "random", NULL};

/* ---- beginning ---- */

static bool open_region(struct tuning *tuning, const struct weft_node *node,
                        const struct weft_segment *segment, struct weft_error *error) {
    struct weft_arena *arena = &tuning->arena;
    struct tuned *t = &tuning->regions[tuning->count];
    if (!schedule_read(arena, &tuning->module->config, node->body, segment->schedule, &t->region,
                       &t->begun, error)) {
        return false;
    }
    t->saved = segment->schedule;
    t->is_short = segment->program.count <= SHORT_PROGRAM;
    t->now = decisions_copy(arena, &t->begun);
    t->best = decisions_copy(arena, &t->begun);
    t->begun_cycles = t->now_cycles = t->best_cycles = segment->cycles;
    t->known.arena = arena;
    move_field_list(arena, &t->region, &t->field);
    t->layers = WEFT_NEW_ARRAY(arena, (size_t)t->region.layer_count, struct score);
    t->parts = WEFT_NEW_ARRAY(arena, (size_t)t->region.layer_count, struct part);
    for (int i = 0; i < TUNE_BATCH; i++) {
        t->trials[i].decisions = decisions_copy(arena, &t->begun);
    }
    tuning->count++;
    return true;
}

static bool open_regions(struct tuning *tuning, struct weft_error *error) {
    const struct weft_module *module = tuning->module;
    uint32_t segment = 0;
    tuning->regions = WEFT_NEW_ARRAY(&tuning->arena, module->segment_count, struct tuned);
    for (size_t i = 0; i < module->graph->node_count; i++) {
        const struct weft_node *node = module->graph->nodes[i];
        if (weft_is_machine_region(node)) {
            if (!open_region(tuning, node, &module->segments[segment++], error)) {
                return false;
            }
        }
    }
    return segment > 0 ||
           weft_fail(error, WEFT_ARGUMENT, 0,
                     "the machine carries out nothing of the model: there is no schedule to tune");
}

bool tuning_open(struct weft_module *module, const struct tune_options *options,
                 struct tuning **tuning, struct weft_error *error) {
    struct tuning *made = weft_allocate(1, sizeof *made, "tuning", error);
    if (made == NULL) {
        return false;
    }
    if (setjmp(made->arena.on_failure)) {
        (void)weft_arena_failed(&made->arena, error);
        tuning_close(made);
        return false;
    }
    made->module = module;
    made->options = *options;
    made->draw.state = options->seed;
    for (unsigned i = 0; i < options->jobs; i++) {
        made->arenas[i] = weft_arena_child(&made->arena);
    }
    made->changes = weft_arena_child(&made->arena);
    if (!open_regions(made, error)) {
        tuning_close(made);
        return false;
    }
    *tuning = made;
    return true;
}

void tuning_close(struct tuning *tuning) {
    if (tuning != NULL) {
        weft_arena_free(&tuning->arena);
        free(tuning);
    }
}

/* ---- what was found ---- */

void tuning_reseed(struct tuning *tuning, uint64_t seed) {
    tuning->draw.state = seed;
}

uint64_t tuning_tried(const struct tuning *tuning) {
    return tuning->tried;
}

uint64_t tuning_cycles(const struct tuning *tuning) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < tuning->count; i++) {
        sum += tuning->regions[i].best_cycles;
    }
    return sum;
}

uint32_t tuning_regions(const struct tuning *tuning) {
    return tuning->count;
}

uint64_t tuning_region_cycles(const struct tuning *tuning, uint32_t region) {
    return tuning->regions[region].best_cycles;
}

const struct region *tuning_region(const struct tuning *tuning, uint32_t region) {
    return &tuning->regions[region].region;
}

const struct decisions *tuning_best(const struct tuning *tuning, uint32_t region) {
    return &tuning->regions[region].best;
}

bool tuning_take(struct tuning *tuning, uint32_t region, const struct field_change *changes,
                 size_t count, uint64_t limit, bool *taken, struct weft_error *error) {
    struct tuned *t = &tuning->regions[region];
    struct trial *trial = &t->trials[0];
    struct batch batch = {tuning, t};
    *taken = false;
    decisions_assign(&trial->decisions, &t->best);
    for (size_t i = 0; i < count; i++) {
        decision_set(&trial->decisions, changes[i].of, changes[i].item, changes[i].field,
                     changes[i].to);
    }
    trial->is_known = false;
    trial->layer = -1;
    trial->limit = limit;
    trial_count(&batch, 0, 0);
    if (!trial->fits) {
        *error = trial->error;
        return is_refusal(error);
    }
    *taken = !trial->outcome.is_least && trial->outcome.cycles < limit;
    if (*taken) {
        forget_parts(t, &trial->decisions);
        decisions_assign(&t->now, &trial->decisions);
        decisions_assign(&t->best, &trial->decisions);
        t->now_cycles = t->best_cycles = trial->outcome.cycles;
    }
    return true;
}

bool tuning_decisions(const struct tuning *tuning, struct weft_text *text,
                      struct weft_error *error) {
    struct weft_module *module = tuning->module;
    if (setjmp(module->arena.on_failure)) {
        return weft_arena_failed(&module->arena, error);
    }
    for (uint32_t i = 0; i < tuning->count; i++) {
        const struct tuned *t = &tuning->regions[i];
        module->segments[i].schedule =
            saved_schedule(&module->arena, &t->region, &t->best, t->best_cycles);
        module->segments[i].schedule->groups = t->saved->groups;
    }
    return weft_module_decisions(module, text, error);
}
