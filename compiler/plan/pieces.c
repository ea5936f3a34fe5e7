/* Weights, parameters and tables in pieces, as instructions use them. */
#include <string.h>

#include "base/integer.h"
#include "compiler/plan/plan.h"

uint8_t *add_piece(struct packing *packing, int kind, int64_t bytes) {
    struct plan *plan = packing->plan;
    int64_t unit = kind == PIECES_WGT ? 2 * plan->config->block : plan->config->block;
    struct piece **pieces = &plan->pieces[kind];
    bytes = weft_round_up(bytes, unit);
    packing->bytes[kind] += bytes;
    if (packing->mode == PACK_FILL) {
        return packing->constants + (*pieces)[packing->filled[kind]++].offset;
    }
    if (packing->mode == PACK_PLAN) {
        *pieces = weft_arena_grow(plan->arena, *pieces, (size_t)plan->piece_count[kind],
                                  &plan->piece_capacity[kind], sizeof **pieces);
        (*pieces)[plan->piece_count[kind]++] = (struct piece){.bytes = bytes};
    }
    return NULL;
}

/* ---- functions of one byte ---- */

int table_piece(const struct plan *plan, const uint8_t *table) {
    for (int i = 0; i < plan->piece_count[PIECES_LUT]; i++) {
        const uint8_t *other = plan->pieces[PIECES_LUT][i].table;
        if (other == table || memcmp(other, table, 256) == 0) {
            return i;
        }
    }
    return -1;
}

void add_table(struct packing *packing, const uint8_t *table) {
    struct plan *plan = packing->plan;
    if (packing->mode == PACK_PLAN && table_piece(plan, table) < 0) {
        (void)add_piece(packing, PIECES_LUT, 256 * (int64_t)plan->config->block);
        plan->pieces[PIECES_LUT][plan->piece_count[PIECES_LUT] - 1].table = table;
    }
}

/* Every lane looks up the same function. */
static void fill_tables(struct packing *packing) {
    struct plan *plan = packing->plan;
    size_t lanes = plan->config->block;
    for (int i = 0; i < plan->piece_count[PIECES_LUT]; i++) {
        const uint8_t *table = plan->pieces[PIECES_LUT][i].table;
        uint8_t *to = add_piece(packing, PIECES_LUT, 256 * (int64_t)lanes);
        for (size_t b = 0; b < 256; b++) {
            memset(to + b * lanes, table[b], lanes);
        }
    }
}

/* ---- all layers ---- */

static void pack_layer(struct packing *packing, int index) {
    const struct layer *layer = packing->plan->layers[index];
    if (operations_of(layer)->pack != NULL) {
        operations_of(layer)->pack(packing, index);
    }
}

void pieces_bytes(const struct plan *plan, int layer, int64_t bytes[PIECES]) {
    /* Nothing of the plan is changed while bytes are counted. */
    struct packing packing = {.plan = (struct plan *)(uintptr_t)plan, .mode = PACK_COUNT};
    pack_layer(&packing, layer);
    for (int kind = 0; kind < PIECES; kind++) {
        bytes[kind] += packing.bytes[kind];
    }
}

static int64_t place_tensors(struct plan *plan, int64_t offset) {
    for (int t = 0; t < plan->region->tensor_count; t++) {
        const struct tensor *tensor = &plan->region->tensors[t];
        if (tensor->constant != NULL) {
            plan->locations[t].region = WEFT_REGION_CONSTANTS;
            plan->locations[t].offset = offset;
            offset += tensor_bytes(tensor);
            offset = weft_round_up(offset, plan->config->memory_burst);
        }
    }
    return offset;
}

void pieces_plan(struct plan *plan) {
    struct packing packing = {.plan = plan, .mode = PACK_PLAN};
    const struct region *region = plan->region;
    for (int i = 0; i < region->layer_count; i++) {
        plan->first_weights[i] = plan->piece_count[PIECES_WGT];
        plan->first_parameters[i] = plan->piece_count[PIECES_PAR];
        pack_layer(&packing, i);
    }
    for (int t = 0; t < region->tensor_count; t++) {
        if (region->tensors[t].table != NULL) {
            add_table(&packing, region->tensors[t].table);
        }
    }
    /* Pieces of one memory lie together in the order of their first use, so that one LOAD can bring
     * several. */
    int64_t offset = 0;
    for (int kind = 0; kind < PIECES; kind++) {
        for (int i = 0; i < plan->piece_count[kind]; i++) {
            plan->pieces[kind][i].offset = offset;
            offset += plan->pieces[kind][i].bytes;
        }
        offset = weft_round_up(offset, plan->config->memory_burst);
    }
    plan->constant_bytes = place_tensors(plan, offset);
}

uint8_t *pieces_fill(struct plan *plan) {
    struct packing packing = {
        .plan = plan,
        .mode = PACK_FILL,
        .constants = WEFT_NEW_ARRAY(plan->arena, (size_t)plan->constant_bytes, uint8_t)};
    for (int i = 0; i < plan->region->layer_count; i++) {
        pack_layer(&packing, i);
    }
    fill_tables(&packing);
    for (int t = 0; t < plan->region->tensor_count; t++) {
        const struct tensor *tensor = &plan->region->tensors[t];
        if (tensor->constant != NULL) {
            memcpy(packing.constants + plan->locations[t].offset, tensor->constant,
                   (size_t)tensor_bytes(tensor));
        }
    }
    return packing.constants;
}
