/* Are decisions possible? What choose.c decides always is; what comes from a file need not be.
 * Every error says which layer or tensor, and what is wrong. */
#include <inttypes.h>

#include "base/integer.h"
#include "compiler/plan/plan.h"

/* A region is cut into so many tiles and stripes at most: its program would be longer than any
 * region of external memory. */
enum {
    MOST_PARTS = 1 << 20
};

/* ---- fields by themselves ---- */

static bool wrong_layer(const struct region *region, int layer, const char *reason,
                        struct weft_error *error) {
    return weft_fail(error, WEFT_DECISIONS, (uint64_t)layer, "layer %d (%s): %s", layer,
                     region->layers[layer].name, reason);
}

static bool check_range(const struct region *region, int layer, const char *name, int64_t value,
                        int64_t low, int64_t high, struct weft_error *error) {
    return (value >= low && value <= high) ||
           weft_fail(error, WEFT_DECISIONS, (uint64_t)layer,
                     "layer %d (%s): %s is %" PRId64 ", expected %" PRId64 " to %" PRId64, layer,
                     region->layers[layer].name, name, value, low, high);
}

static bool check_cut(const struct region *region, int index, const struct cut *cut,
                      struct weft_error *error) {
    struct layer layer = region->layers[index];
    if (cut->turned && !layer.can_turn) {
        return wrong_layer(region, index, "turned, but its rows cannot become columns", error);
    }
    if (cut->apart && !can_be_apart(region, index)) {
        return wrong_layer(region, index, "apart, but nothing is done to its products", error);
    }
    if (!check_range(region, index, "beside", cut->beside, 0, BESIDE_WAYS - 1, error)) {
        return false;
    }
    if (cut->beside != BESIDE_NONE && !can_be_beside(region, index)) {
        return wrong_layer(region, index,
                           "beside, but it is no layer of VECTOR's that can be between tiles",
                           error);
    }
    if (cut->ahead && !(cut->linked && operations_of(&layer)->by_vector)) {
        return wrong_layer(region, index, "ahead, but no layer of VECTOR's that begins a chain",
                           error);
    }
    if (layer.turned != cut->turned) {
        layer_turn(&layer);
    }
    int64_t blocks = blocks_of(region->config, layer.out.c);
    int64_t pieces =
        operations_of(&layer)->cuts_weights ? blocks_of(region->config, layer.in.c) : 1;
    /* One that is turned has all of its one row in every stripe. */
    int64_t least = cut->turned ? layer.out.h : 1;
    return check_range(region, index, "stripe_rows", cut->stripe_rows, least, layer.out.h, error) &&
           check_range(region, index, "stripe_images", cut->stripe_images, 1, layer.out.n, error) &&
           check_range(region, index, "stripe_groups", cut->stripe_groups, 1, blocks, error) &&
           check_range(region, index, "stripe_buffers", cut->stripe_buffers, 1, MOST_BUFFERS,
                       error) &&
           check_range(region, index, "tile_rows", cut->tile_rows, 1, cut->stripe_rows, error) &&
           check_range(region, index, "tile_columns", cut->tile_columns, 1, layer.out.w, error) &&
           check_range(region, index, "tile_blocks", cut->tile_blocks, 1, blocks, error) &&
           check_range(region, index, "weight_pieces", cut->weight_pieces, 1, pieces, error) &&
           check_range(region, index, "early_blocks", cut->early_blocks, 0,
                       most_early_blocks(region, index), error) &&
           check_range(region, index, "put_off", cut->put_off, -most_put_off(region, index),
                       most_put_off(region, index), error);
}

/* A linked layer has another one after it to be linked with. */
static bool check_link(const struct region *region, int index, struct weft_error *error) {
    if (layer_is_idle(region, index) || next_busy_layer(region, index) < 0) {
        return wrong_layer(region, index, "linked, but there is no work, or none after it", error);
    }
    return true;
}

static bool wrong_tensor(int tensor, const char *reason, struct weft_error *error) {
    return weft_fail(error, WEFT_DECISIONS, (uint64_t)tensor, "tensor %d: %s", tensor, reason);
}

static bool check_keep(const struct region *region, int index, const struct keep *keep,
                       int64_t most_stretch, struct weft_error *error) {
    const struct tensor *tensor = &region->tensors[index];
    if (keep->resident && !can_reside(tensor)) {
        return wrong_tensor(index, "resident, but nothing on chip makes or reads it", error);
    }
    if (tensor->stays && !keep->resident) {
        return wrong_tensor(index, "not resident, but layers abreast use it", error);
    }
    if (keep->stretch < 1 || keep->stretch > most_stretch ||
        (keep->stretch > 1 && keep->packed && tensor->table != NULL)) {
        return weft_fail(error, WEFT_DECISIONS, (uint64_t)index,
                         "tensor %d: stretch is %" PRId64 ", expected 1 to %" PRId64
                         ", and 1 if it is packed and a table is applied to it",
                         index, keep->stretch, most_stretch);
    }
    if (keep->packed && !(tensor->can_pack && table_has_zero(tensor))) {
        return wrong_tensor(index, "packed, but not everything that reads it can read it so",
                            error);
    }
    return true;
}

uint32_t least_as_if(const struct weft_config *config, enum weft_memory memory) {
    enum { /* of a bank */
        ACT_LINES = 32,
        WGT_TILES = 8,
        ACC_ENTRIES = 32
    };
    uint32_t block = config->block;
    uint32_t each = memory == WEFT_MEMORY_ACT   ? block * ACT_LINES
                    : memory == WEFT_MEMORY_WGT ? block * block * WGT_TILES
                                                : block * 4 * ACC_ENTRIES;
    return each * weft_banks(config, memory);
}

/* Is it what is left of a memory, halved some times, as the search does? No machine need have so
 * little. */
static bool is_halved(const struct weft_config *config, enum weft_memory memory, int64_t bytes) {
    int64_t all = weft_memory_bytes(config, memory);
    while (all > bytes) {
        all /= 2;
    }
    return memory != WEFT_MEMORY_PAR && all == bytes && bytes >= least_as_if(config, memory);
}

bool check_as_if(const struct weft_config *config, const struct as_if *as_if,
                 struct weft_error *error) {
    struct weft_config smaller = *config;
    const struct {
        const char *name;
        enum weft_memory memory;
        int64_t bytes;
        uint32_t *of;
    } memories[] = {{"act_bytes", WEFT_MEMORY_ACT, as_if->act_bytes, &smaller.act_bytes},
                    {"wgt_bytes", WEFT_MEMORY_WGT, as_if->wgt_bytes, &smaller.wgt_bytes},
                    {"par_bytes", WEFT_MEMORY_PAR, as_if->par_bytes, &smaller.par_bytes}};
    for (size_t i = 0; i < sizeof memories / sizeof memories[0]; i++) {
        if (memories[i].bytes < 1 || memories[i].bytes > *memories[i].of) {
            return weft_fail(error, WEFT_DECISIONS, 0, "%s is %" PRId64 ", expected 1 to %" PRIu32,
                             memories[i].name, memories[i].bytes, *memories[i].of);
        }
        if (!is_halved(config, memories[i].memory, memories[i].bytes)) {
            *memories[i].of = (uint32_t)memories[i].bytes;
        }
    }
    if (!weft_config_check(&smaller, error)) {
        error->code = WEFT_DECISIONS;
        return weft_fail_context(error, "the machine that the decisions are made for");
    }
    return true;
}

bool check_decisions(const struct region *region, const struct decisions *decisions,
                     struct weft_error *error) {
    if (!check_as_if(region->config, &decisions->as_if, error)) {
        return false;
    }
    for (int i = 0; i < region->layer_count; i++) {
        const struct cut *cut = &decisions->cuts[i];
        if (!check_cut(region, i, cut, error) || (cut->linked && !check_link(region, i, error))) {
            return false;
        }
        if (cut->turned && decisions->keeps[region->tensors_of[i][0]].packed) {
            return wrong_layer(region, i, "turned, but its operand is packed", error);
        }
    }
    for (int t = 0; t < region->tensor_count; t++) {
        if (!check_keep(region, t, &decisions->keeps[t],
                        region->config->act_bytes / decisions->as_if.act_bytes, error)) {
            return false;
        }
    }
    return true;
}

/* ---- with what follows from them ---- */

static bool check_chain(const struct plan *plan, int index, struct weft_error *error) {
    const struct cut *cut = cut_of(plan, index);
    if (cut->linked &&
        !can_link(plan, plan->chain_first[index], index, next_in_chain(plan, index))) {
        return wrong_layer(plan->region, index,
                           "linked, but what lies between it and the next is resident, is needed "
                           "elsewhere, or one of them has no window over rows",
                           error);
    }
    return true;
}

/* Groups of channel blocks, and the accumulators of a tile. */
static bool check_groups(const struct plan *plan, int index, struct weft_error *error) {
    const struct region *region = plan->region;
    const struct layer *layer = plan->layers[index];
    const struct tiling *tiling = &plan->tilings[index];
    const struct cut *cut = cut_of(plan, index);
    int64_t entries =
        (int64_t)weft_acc_entries(plan->config) -
        keeps_accumulators(plan, index) * (int64_t)weft_acc_bank_entries(plan->config);
    int64_t least = cut->weights_outer ? 1 : tiling->groups;
    if (!check_range(region, index, "stripe_groups", cut->stripe_groups, least, tiling->groups,
                     error)) {
        return false;
    }
    if (!operations_of(layer)->has_products) {
        return !cut->weights_outer ||
               wrong_layer(region, index, "weights_outer, but it has no weights", error);
    }
    if (operations_of(layer)->gathers_weights && (cut->weights_outer || tiling->rows != 1)) {
        return wrong_layer(region, index,
                           "weights_outer, or tiles of several rows, but each row has weights of "
                           "its own",
                           error);
    }
    int64_t needed = tiling->rows * tiling->columns * tiling->blocks;
    if (needed > entries) {
        return weft_fail(error, WEFT_DECISIONS, (uint64_t)index,
                         "layer %d (%s): a tile of %" PRId64 " x %" PRId64 " pixels and %" PRId64
                         " blocks needs %" PRId64 " accumulators, there are %" PRId64,
                         index, layer->name, tiling->rows, tiling->columns, tiling->blocks, needed,
                         entries);
    }
    if (whole_multiples(layer, tiling->blocks) != tiling->blocks) {
        return wrong_layer(region, index, "tile_blocks is no whole multiple of the multiplier",
                           error);
    }
    return tiling->blocks == 1 || takes_several_blocks(layer, tiling) ||
           wrong_layer(region, index, "tile_blocks is not 1, but blocks need weights in pieces",
                       error);
}

/* Tiles and stripes of a layer. */
static int64_t parts_of(const struct plan *plan, int index) {
    const struct layer *layer = plan->layers[index];
    const struct tiling *tiling = &plan->tilings[index];
    const struct cut *cut = cut_of(plan, index);
    int64_t tiles = weft_ceil_div(layer->out.h, tiling->rows) *
                    weft_ceil_div(layer->out.w, tiling->columns) * tiling->groups;
    int64_t stripes = weft_ceil_div(layer->out.h, cut->stripe_rows) *
                      weft_ceil_div(tiling->groups, cut->stripe_groups);
    return layer->out.n * weft_max(tiles, stripes);
}

bool check_tilings(const struct plan *plan, struct weft_error *error) {
    int64_t parts = 0;
    for (int i = 0; i < plan->region->layer_count; i++) {
        if (layer_is_idle(plan->region, i)) {
            continue;
        }
        if (!check_groups(plan, i, error) || !check_chain(plan, i, error)) {
            return false;
        }
        parts += parts_of(plan, i);
        if (parts > MOST_PARTS) {
            return weft_fail(error, WEFT_DECISIONS, (uint64_t)i,
                             "layer %d (%s): %" PRId64
                             " tiles and stripes up to here, expected at most %d",
                             i, plan->layers[i]->name, parts, MOST_PARTS);
        }
    }
    return true;
}

/* ---- weights and parameters ---- */

/* The first layer that uses a piece. */
static int layer_of_piece(const int *first_of, const int *end_of, int piece) {
    int layer = 0;
    while (piece < first_of[layer] || piece >= end_of[layer]) {
        layer++;
    }
    return layer;
}

/* Two banks are left to be loaded in turn. */
static bool check_kept_banks(const struct plan *plan, struct weft_error *error) {
    int64_t kept = plan->decisions->kept_banks;
    int64_t most = (int64_t)weft_banks(plan->config, WEFT_MEMORY_WGT) - 2;
    return (kept >= 0 && kept <= most) ||
           weft_fail(error, WEFT_DECISIONS, 0,
                     "\"kept_banks\" is %" PRId64 ", expected 0 to %" PRId64, kept, most);
}

bool check_pieces(const struct plan *plan, struct weft_error *error) {
    const struct {
        int kind;
        enum weft_memory memory;
        const int *first_of, *end_of;
    } kinds[] = {{PIECES_WGT, WEFT_MEMORY_WGT, plan->first_weights, plan->end_weights},
                 {PIECES_PAR, WEFT_MEMORY_PAR, plan->first_parameters, plan->end_parameters}};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        int64_t room = (int64_t)weft_memory_bytes(plan->config, kinds[k].memory);
        for (int i = 0; i < plan->piece_count[kinds[k].kind]; i++) {
            int64_t bytes = plan->pieces[kinds[k].kind][i].bytes;
            if (bytes > room) {
                int layer = layer_of_piece(kinds[k].first_of, kinds[k].end_of, i);
                return weft_fail(error, WEFT_DECISIONS, (uint64_t)layer,
                                 "layer %d (%s): a group of blocks needs %" PRId64
                                 " bytes of %s, there are %" PRId64,
                                 layer, plan->layers[layer]->name, bytes,
                                 weft_memory_names[kinds[k].memory], room);
            }
        }
    }
    return check_kept_banks(plan, error);
}
