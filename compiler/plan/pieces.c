/* Weights, parameters and tables in pieces, as instructions use them. */
#include <stdatomic.h>
#include <string.h>

#include "base/bytes.h"
#include "base/integer.h"
#include "base/parallel.h"
#include "compiler/plan/packed.h"
#include "isa/coding.h"

/* ---- coded weights ---- */

/* What is kept of a piece, in one word: its coded bytes, and what it is. */
enum {
    SIZE_BITS = 24,
    BLOCKS_BITS = 14
};

/* Can LOAD bring weights coded, whatever it brings at once? */
static bool can_code(const struct weft_config *config) {
    return config->compression != 0 && config->wgt_bytes / weft_unit_weights(config) <= UINT16_MAX;
}

static int64_t coded_bytes(const struct weft_config *config, const uint8_t *weights, int64_t bytes,
                           uint8_t base) {
    int64_t sum = 0;
    for (int64_t i = 0; i < bytes; i += weft_unit_weights(config)) {
        struct weft_unit_coding coding = weft_unit_choose(config, weights + i, base);
        sum += weft_unit_bytes(config, &coding);
    }
    return sum;
}

static void code(const struct weft_config *config, const struct piece *piece,
                 const uint8_t *weights, uint8_t *to) {
    for (int64_t i = 0; i < piece->bytes; i += weft_unit_weights(config)) {
        struct weft_unit_coding coding = weft_unit_choose(config, weights + i, piece->base);
        weft_unit_encode(config, &coding, weights + i, piece->base, to);
        to += weft_unit_bytes(config, &coding);
    }
}

/* The weights of a piece are complete. */
static void close_piece(struct packing *packing) {
    struct piece *piece = packing->open;
    const struct weft_config *config = packing->plan->config;
    _Atomic uint64_t *known = packing->known;
    packing->open = NULL;
    packing->known = NULL;
    if (piece != NULL && packing->mode == PACK_FILL) {
        code(config, piece, packing->weights, packing->constants + piece->offset);
    } else if (piece != NULL) {
        piece->stored = packing->counted != 0
                            ? packing->counted
                            : coded_bytes(config, packing->weights, piece->bytes, piece->base);
        if (known != NULL && piece->stored < 1 << SIZE_BITS) {
            uint64_t word = packing->known_as | (uint64_t)piece->stored;
            atomic_store_explicit(known, word, memory_order_relaxed);
        }
    }
}

void count_coded(struct packing *packing, const uint8_t *weights, int64_t bytes,
                 _Atomic uint16_t *known) {
    int64_t coded = coded_bytes(packing->plan->config, weights, bytes, packing->open->base);
    packing->counted += coded;
    if (known != NULL) {
        atomic_store_explicit(known, (uint16_t)coded, memory_order_relaxed);
    }
}

static const struct coded_sizes *coded_sizes_of(const struct plan *plan, int index) {
    const struct region *region = plan->region;
    const struct layer *layer = plan->layers[index];
    return has_listed_weights(region, index, layer)
               ? &region->listed_coded[2 * region->origin[index] + layer->turned]
               : &region->coded[2 * index + layer->turned];
}

_Atomic uint16_t *known_tile(const struct plan *plan, int index, int64_t tile) {
    _Atomic uint16_t *tiles = coded_sizes_of(plan, index)->tiles;
    return tiles == NULL ? NULL : tiles + tile;
}

/* The word for pieces that begin with the same; NULL: none. *is: what it says, but for the
 * bytes, if it is of this one. */
static _Atomic uint64_t *known_piece(const struct plan *plan, int index, const struct piece_of *of,
                                     uint64_t *is) {
    *is = ((uint64_t)of->form << BLOCKS_BITS | (uint64_t)of->blocks) << SIZE_BITS;
    bool is_kept = of->form != 0 && of->blocks < 1 << BLOCKS_BITS;
    _Atomic uint64_t *pieces = is_kept ? coded_sizes_of(plan, index)->pieces : NULL;
    return pieces == NULL ? NULL : pieces + of->at;
}

/* ---- pieces ---- */

/* A packing that begins. A piece of WGT is whole pairs of lines and, where it can be coded, whole
 * units; others are whole lines. */
static struct packing packing_of(struct plan *plan, enum packing_mode mode) {
    const struct weft_config *config = plan->config;
    struct packing packing = {.plan = plan, .mode = mode, .can_code = can_code(config)};
    for (int kind = 0; kind < PIECES; kind++) {
        packing.grain[kind] = config->block;
    }
    packing.grain[PIECES_WGT] =
        weft_max(2 * (int64_t)config->block, packing.can_code ? weft_unit_weights(config) : 0);
    return packing;
}

uint8_t *add_weights(struct packing *packing, int layer, const struct piece_of *of, int64_t bytes) {
    struct plan *plan = packing->plan;
    int32_t zero = plan->layers[layer]->weight_zero;
    uint8_t *to = add_piece(packing, PIECES_WGT, bytes);
    bool plans = packing->mode == PACK_PLAN && packing->can_code;
    if (!plans && !(packing->mode == PACK_FILL && plan->coded)) {
        return to;
    }
    int index = plans ? plan->piece_count[PIECES_WGT] - 1 : packing->filled[PIECES_WGT] - 1;
    packing->open = &plan->pieces[PIECES_WGT][index];
    packing->open->base = (uint8_t)zero;
    packing->counted = 0;
    packing->known = plans ? known_piece(plan, layer, of, &packing->known_as) : NULL;
    uint64_t word =
        packing->known == NULL ? 0 : atomic_load_explicit(packing->known, memory_order_relaxed);
    if (word != 0 && word >> SIZE_BITS == packing->known_as >> SIZE_BITS) {
        packing->counted = (int64_t)(word & ((UINT64_C(1) << SIZE_BITS) - 1));
        return NULL;
    }
    size_t size = (size_t)packing->open->bytes;
    if (size > packing->weights_capacity) {
        packing->weights = WEFT_NEW_ARRAY(plan->arena, size, uint8_t);
        packing->weights_capacity = size;
    }
    memset(packing->weights + bytes, (uint8_t)zero, size - (size_t)bytes);
    return packing->weights;
}

void add_gathered(struct packing *packing, int64_t bytes, const struct gathered *gathered) {
    struct plan *plan = packing->plan;
    (void)add_piece(packing, PIECES_WGT, bytes);
    if (packing->mode == PACK_PLAN) {
        struct gathered *copy = WEFT_NEW(plan->arena, struct gathered);
        *copy = *gathered;
        struct piece *piece = &plan->pieces[PIECES_WGT][plan->piece_count[PIECES_WGT] - 1];
        piece->gathered = copy;
        piece->stored = 0;
    }
}

uint8_t *add_piece(struct packing *packing, int kind, int64_t bytes) {
    struct plan *plan = packing->plan;
    struct piece **pieces = &plan->pieces[kind];
    close_piece(packing);
    bytes = (bytes + packing->grain[kind] - 1) & -packing->grain[kind];
    packing->bytes[kind] += bytes;
    if (packing->mode == PACK_FILL) {
        return packing->constants + (*pieces)[packing->filled[kind]++].offset;
    }
    if (packing->mode == PACK_PLAN) {
        *pieces = weft_arena_reserve(plan->arena, *pieces, (size_t)plan->piece_count[kind], 1,
                                     &plan->piece_capacity[kind], sizeof **pieces);
        (*pieces)[plan->piece_count[kind]++] = (struct piece){.bytes = bytes, .stored = bytes};
    }
    return NULL;
}

uint8_t *add_records(struct packing *packing, int64_t bytes, const struct piece *form) {
    struct plan *plan = packing->plan;
    uint8_t *to = add_piece(packing, PIECES_PAR, bytes);
    if (packing->mode == PACK_PLAN) {
        struct piece *piece = &plan->pieces[PIECES_PAR][plan->piece_count[PIECES_PAR] - 1];
        piece->is_short = form->is_short;
        piece->shift = form->shift;
    }
    return to;
}

/* ---- functions of one byte ---- */

int table_piece(const struct plan *plan, const uint8_t *table) {
    for (int i = 0; i < plan->piece_count[PIECES_LUT]; i++) {
        const uint8_t *other = plan->pieces[PIECES_LUT][i].table;
        if (other != NULL && (other == table || memcmp(other, table, 256) == 0)) {
            return i;
        }
    }
    return -1;
}

int exponentials_piece(const struct plan *plan, const int32_t *exponentials) {
    for (int i = 0; i < plan->piece_count[PIECES_LUT]; i++) {
        const int32_t *other = plan->pieces[PIECES_LUT][i].exponentials;
        if (other != NULL &&
            (other == exponentials || memcmp(other, exponentials, 256 * sizeof *other) == 0)) {
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

void add_exponentials(struct packing *packing, const int32_t *exponentials) {
    struct plan *plan = packing->plan;
    if (packing->mode == PACK_PLAN && exponentials_piece(plan, exponentials) < 0) {
        (void)add_piece(packing, PIECES_LUT, 256 * (int64_t)plan->config->block);
        plan->pieces[PIECES_LUT][plan->piece_count[PIECES_LUT] - 1].exponentials = exponentials;
    }
}

/* Every lane looks up the same function; of exponentials four lanes one byte each. */
static void fill_tables(struct packing *packing) {
    struct plan *plan = packing->plan;
    size_t lanes = plan->config->block;
    for (int i = 0; i < plan->piece_count[PIECES_LUT]; i++) {
        const struct piece *piece = &plan->pieces[PIECES_LUT][i];
        uint8_t *to = add_piece(packing, PIECES_LUT, 256 * (int64_t)lanes);
        for (size_t b = 0; b < 256 && piece->table != NULL; b++) {
            memset(to + b * lanes, piece->table[b], lanes);
        }
        for (size_t at = 0; at < 256 * lanes && piece->exponentials != NULL; at += 4) {
            weft_write_u32(to + at, (uint32_t)piece->exponentials[at / lanes]);
        }
    }
}

/* ---- all layers ---- */

static void pack_layer(struct packing *packing, int index) {
    const struct plan *plan = packing->plan;
    const struct layer *layer = plan->layers[index];
    if (operations_of(layer)->pack == NULL) {
        return;
    }
    if (packing->mode == PACK_FILL) {
        packing->filled[PIECES_WGT] = plan->first_weights[index];
        packing->filled[PIECES_PAR] = plan->first_parameters[index];
        operations_of(layer)->pack(packing, index);
        close_piece(packing);
        return;
    }
    close_piece(packing); /* of the layer before */
    if (packed_find(packing, index)) {
        return;
    }
    int first[PIECES];
    int64_t bytes[PIECES];
    for (int kind = 0; kind < PIECES; kind++) {
        first[kind] = plan->piece_count[kind];
        bytes[kind] = -packing->bytes[kind];
    }
    operations_of(layer)->pack(packing, index);
    close_piece(packing);
    for (int kind = 0; kind < PIECES; kind++) {
        bytes[kind] += packing->bytes[kind];
    }
    packed_add(packing, index, bytes, first);
}

void pieces_bytes(const struct plan *plan, int layer, int64_t bytes[PIECES]) {
    /* Nothing of the plan is changed while bytes are counted. */
    struct packing packing = packing_of((struct plan *)(uintptr_t)plan, PACK_COUNT);
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

/* Weights are coded if they may be and that makes them smaller, all or none: those that are not
 * would wait until all that are have been written. */
static void choose_coded(struct plan *plan) {
    struct piece *pieces = plan->pieces[PIECES_WGT];
    int64_t plain = 0;
    int64_t coded = 0;
    for (int i = 0; i < plan->piece_count[PIECES_WGT]; i++) {
        plain += pieces[i].gathered == NULL ? pieces[i].bytes : 0;
        coded += pieces[i].stored;
    }
    plan->coded = coded < plain && !plan->decisions->plain_weights;
    for (int i = 0; i < plan->piece_count[PIECES_WGT] && !plan->coded; i++) {
        pieces[i].stored = pieces[i].gathered == NULL ? pieces[i].bytes : 0;
    }
}

/* Room for the pieces of most regions, which saves copying them as they become more. */
static void reserve_pieces(struct plan *plan) {
    static const size_t usual[PIECES] = {[PIECES_WGT] = 512, [PIECES_PAR] = 256};
    for (int kind = 0; kind < PIECES; kind++) {
        plan->pieces[kind] = weft_arena_reserve(plan->arena, plan->pieces[kind], 0, usual[kind],
                                                &plan->piece_capacity[kind], sizeof(struct piece));
    }
}

/* Has the pieces of a kind that a layer just got given back, where another one has the same. */
static void share_pieces(struct plan *plan, int layer, int kind) {
    const struct region *region = plan->region;
    const int *alike = kind == PIECES_WGT ? region->weights_of : region->parameters_of;
    int other = alike == NULL ? layer : alike[layer];
    int *first = kind == PIECES_WGT ? plan->first_weights : plan->first_parameters;
    int *end = kind == PIECES_WGT ? plan->end_weights : plan->end_parameters;
    end[layer] = plan->piece_count[kind];
    if (other != layer && packed_alike(plan, layer, other)) {
        plan->piece_count[kind] = first[layer];
        first[layer] = first[other];
        end[layer] = end[other];
    }
}

void pieces_plan(struct plan *plan) {
    struct packing packing = packing_of(plan, PACK_PLAN);
    reserve_pieces(plan);
    const struct region *region = plan->region;
    for (int i = 0; i < region->layer_count; i++) {
        plan->first_weights[i] = plan->piece_count[PIECES_WGT];
        plan->first_parameters[i] = plan->piece_count[PIECES_PAR];
        pack_layer(&packing, i);
        share_pieces(plan, i, PIECES_WGT);
        share_pieces(plan, i, PIECES_PAR);
    }
    for (int t = 0; t < region->tensor_count; t++) {
        if (region->tensors[t].table != NULL && region->tensors[t].scaling == NULL) {
            add_table(&packing, region->tensors[t].table);
        }
    }
    close_piece(&packing);
    choose_coded(plan);
    /* Pieces of one memory lie together in the order of their first use, so that one LOAD can bring
     * several. */
    int64_t offset = 0;
    for (int kind = 0; kind < PIECES; kind++) {
        for (int i = 0; i < plan->piece_count[kind]; i++) {
            plan->pieces[kind][i].offset = offset;
            offset += plan->pieces[kind][i].stored;
        }
        if (kind == PIECES_WGT && plan->coded) {
            offset += 2 * plan->config->memory_width; /* that a run goes on */
        }
        offset = weft_round_up(offset, plan->config->memory_burst);
    }
    plan->constant_bytes = place_tensors(plan, offset);
}

/* ---- the constants region ---- */

/* Layers are filled on several cores, by one packing each, which allocate nothing then. */
struct filling {
    int layer_count;
    struct packing *packing; /* by thread */
};

/* The last layers, which often have the most weights, come first: the others go on beside them. */
static void fill_layer(void *context, unsigned thread, size_t i) {
    const struct filling *filling = context;
    pack_layer(&filling->packing[thread], filling->layer_count - 1 - (int)i);
}

/* Room for the weights of any piece while they are coded. */
static void reserve_weights(struct packing *packing) {
    const struct plan *plan = packing->plan;
    for (int i = 0; i < plan->piece_count[PIECES_WGT] && plan->coded; i++) {
        size_t bytes = (size_t)plan->pieces[PIECES_WGT][i].bytes;
        packing->weights_capacity =
            bytes > packing->weights_capacity ? bytes : packing->weights_capacity;
    }
    packing->weights = WEFT_NEW_ARRAY(plan->arena, packing->weights_capacity, uint8_t);
}

static void fill_layers(struct plan *plan, uint8_t *constants) {
    const struct region *region = plan->region;
    /* Layers that share pieces would write the same bytes at once. */
    bool is_alone =
        weft_is_beside_others || region->weights_of != NULL || region->parameters_of != NULL;
    /* Each has room for the largest piece: no more of them than there are layers. */
    unsigned threads = is_alone ? 1 : (unsigned)weft_clamp(region->layer_count, 1, weft_cores());
    const struct filling filling = {region->layer_count,
                                    WEFT_NEW_ARRAY(plan->arena, threads, struct packing)};
    for (unsigned i = 0; i < threads; i++) {
        filling.packing[i] = packing_of(plan, PACK_FILL);
        filling.packing[i].constants = constants;
        reserve_weights(&filling.packing[i]);
    }
    weft_parallel((size_t)region->layer_count, threads, fill_layer, (void *)&filling);
    fill_tables(&filling.packing[0]);
}

uint8_t *pieces_fill(struct plan *plan) {
    uint8_t *constants = WEFT_NEW_ARRAY(plan->arena, (size_t)plan->constant_bytes, uint8_t);
    fill_layers(plan, constants);
    for (int t = 0; t < plan->region->tensor_count; t++) {
        const struct tensor *tensor = &plan->region->tensors[t];
        if (tensor->constant != NULL) {
            memcpy(constants + plan->locations[t].offset, tensor->constant,
                   (size_t)tensor_bytes(tensor));
        }
    }
    return constants;
}
