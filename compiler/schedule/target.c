/* The Weft machine as a target: which chains of operators it carries out as one, and which regions
 * are worth it. */
#include "compiler/schedule/target.h"

#include <inttypes.h>

#include "compiler/ir/ir.h"
#include "compiler/plan/plan.h"
#include "compiler/schedule/schedule.h"

enum {
    /* A region of more work than this is worth it on every machine: loading and storing alone cost
     * the host more. */
    MOST_HOST_CYCLES = 1 << 16,
};

/* Does a layer find room, divided if need be: all its images at once, or if it has several one
 * after the other? */
static bool has_room(struct weft_arena *scratch, const struct weft_config *config,
                     const struct layer *layer, bool one_by_one, struct weft_error *error) {
    struct region region = {.arena = scratch, .config = config};
    region_list_layer(&region, layer);
    if (one_by_one) {
        if (region_images(&region) == 1) {
            return false;
        }
        region_group(&region, 1);
    }
    region_divide(&region, NULL);
    struct division *divisions =
        WEFT_NEW_ARRAY(scratch, (size_t)region.listed_count, struct division);
    return room_for_layers(&region, divisions, error);
}

static const char *check_room(struct weft_arena *arena, const struct weft_config *config,
                              const struct layer *layer) {
    struct weft_arena scratch = {0};
    struct weft_error error = {0};
    if (setjmp(scratch.on_failure)) {
        weft_arena_free(&scratch);
        longjmp(arena->on_failure, 1);
    }
    bool good = has_room(&scratch, config, layer, false, &error) ||
                (error.code == WEFT_CAPACITY && has_room(&scratch, config, layer, true, &error));
    weft_arena_free(&scratch);
    if (!good && error.code != WEFT_CAPACITY) {
        longjmp(arena->on_failure, 1);
    }
    return good ? NULL
                : "a column of the result, with what it is made of, does not fit the activation "
                  "memory";
}

static const char *check_layer(void *context, struct weft_arena *arena,
                               const struct weft_match *match) {
    struct layer layer;
    const char *reason = layer_lower(arena, context, match->root, match, &layer);
    return reason == NULL ? check_room(arena, context, &layer) : reason;
}

/* What the host would take for a region, in cycles of the machine: as if it were a scalar processor
 * at the machine's clock, one cycle for a multiplication and one for an element. */
static int64_t host_cycles(const struct weft_graph *body) {
    int64_t cycles = weft_graph_elements(body);
    for (size_t i = 0; i < body->node_count; i++) {
        const struct weft_node *composite = body->nodes[i];
        for (size_t k = 0; composite->body != NULL && k < composite->body->node_count; k++) {
            cycles += weft_node_macs(composite->body->nodes[k]);
        }
    }
    return cycles;
}

/* The cycles of a region's program. What its schedule is looked for with does not stay in the
 * arena, but counts for its limit meanwhile. */
static bool count_cycles(const struct weft_arena *arena, const struct weft_config *config,
                         const struct weft_graph *body, uint64_t *cycles,
                         struct weft_error *error) {
    struct weft_arena work = {.limit = arena->limit, .total = arena->total};
    const struct schedule_terms terms = {.frames = 1, .effort = 1};
    struct weft_segment segment;
    if (setjmp(work.on_failure)) {
        weft_arena_free(&work);
        return weft_arena_failed(&work, error);
    }
    bool good = weft_schedule_region(&work, config, body, &terms, NULL, NULL, &segment, error);
    *cycles = segment.cycles;
    weft_arena_free(&work);
    return good;
}

/* Is there nothing to do but to give tensors other shapes? */
static bool moves_nothing(const struct weft_graph *body) {
    bool reshapes = true;
    for (size_t i = 0; reshapes && i < body->node_count; i++) {
        const struct weft_node *node = body->nodes[i];
        for (size_t k = 0; node->body != NULL && reshapes && k < node->body->node_count; k++) {
            reshapes = node->body->nodes[k]->op == WEFT_OP_RESHAPE;
        }
        reshapes = reshapes && (node->body != NULL || node->op == WEFT_OP_CONSTANT);
    }
    return reshapes;
}

/* A region of products, but for a lone one, is what the machine is for. */
static bool check_region(void *context, struct weft_arena *arena, const struct weft_graph *body,
                         const char **reason, struct weft_error *error) {
    int64_t host = host_cycles(body);
    bool has_products = host > weft_graph_elements(body);
    uint64_t cycles = 0;
    if (moves_nothing(body)) {
        *reason = "beside the host a reshape needs no program";
        return true;
    }
    if (host > MOST_HOST_CYCLES || (has_products && body->node_count > 1)) {
        return true;
    }
    if (!count_cycles(arena, context, body, &cycles, error)) {
        return error->code == WEFT_CAPACITY; /* found again when it is compiled, and released */
    }
    if (cycles > (uint64_t)host) {
        *reason = weft_arena_print(arena,
                                   "alone it is not worth a round trip: the machine takes %" PRIu64
                                   " cycles, the host about %" PRId64,
                                   cycles, host);
    }
    return true;
}

static size_t count_patterns(void) {
    size_t count = 0;
    for (int kind = 0; kind < LAYER_KINDS; kind++) {
        count += layer_operations[kind]->pattern_count;
    }
    return count;
}

const struct weft_pattern_table *weft_machine_patterns(struct weft_arena *arena,
                                                       const struct weft_config *config) {
    struct weft_pattern_table *table = WEFT_NEW(arena, struct weft_pattern_table);
    struct weft_pattern_entry *entries =
        WEFT_NEW_ARRAY(arena, count_patterns(), struct weft_pattern_entry);
    struct weft_pattern_entry *entry = entries;
    for (int kind = 0; kind < LAYER_KINDS; kind++) {
        for (size_t i = 0; i < layer_operations[kind]->pattern_count; i++) {
            const struct layer_pattern *pattern = &layer_operations[kind]->patterns[i];
            *entry++ = (struct weft_pattern_entry){pattern->name, pattern->make(arena, pattern->op),
                                                   check_layer};
        }
    }
    *table = (struct weft_pattern_table){
        .name = "weft",
        .entry_count = (size_t)(entry - entries),
        .entries = entries,
        .context = (void *)(uintptr_t)config,
        .check_region = check_region,
    };
    return table;
}
