#include "compiler/tune/moves.h"

#include <string.h>

#include "base/integer.h"

const char *const move_kind_names[MOVE_KINDS] = {
    [MOVE_TILE_ROWS] = "rows of a tile",
    [MOVE_TILE_COLUMNS] = "columns of a tile",
    [MOVE_TILE_BLOCKS] = "channel blocks of a tile",
    [MOVE_STRIPE_ROWS] = "rows of a stripe",
    [MOVE_STRIPE_GROUPS] = "groups of a stripe",
    [MOVE_STRIPE_BUFFERS] = "buffers for stripes",
    [MOVE_PIECES] = "pieces of weights",
    [MOVE_INPUTS] = "channel blocks that the first tile begins with",
    [MOVE_ORDER] = "order of weights",
    [MOVE_APART] = "products apart",
    [MOVE_AHEAD] = "ahead",
    [MOVE_LINK] = "linked",
    [MOVE_BESIDE] = "between tiles",
    [MOVE_TURN] = "rows and columns exchanged",
    [MOVE_RESIDENT] = "resident",
    [MOVE_BANKS] = "banks of a tensor",
    [MOVE_PACK] = "packed",
    [MOVE_REGION] = "all of the region",
    [MOVE_PUT_OFF] = "put off",
};

/* ---- layers ---- */

bool layers_alike(const struct layer *a, const struct layer *b) {
    return a->kind == b->kind && same_shape(&a->in, &b->in) && same_shape(&a->out, &b->out) &&
           memcmp(a->kernel, b->kernel, sizeof a->kernel) == 0 &&
           memcmp(a->stride, b->stride, sizeof a->stride) == 0 && a->groups == b->groups &&
           (a->behind >= 0) == (b->behind >= 0);
}

void move_field_list(struct weft_arena *arena, const struct region *region,
                     struct move_field *field) {
    size_t count = (size_t)region->layer_count;
    *field = (struct move_field){.region = region,
                                 .layers = WEFT_NEW_ARRAY(arena, count, int),
                                 .class_of = WEFT_NEW_ARRAY(arena, count, int)};
    for (int i = 0; i < region->layer_count; i++) {
        if (!layer_is_idle(region, i)) {
            field->layers[field->layer_count++] = i;
        }
        field->class_of[i] = i;
        for (int j = i - 1; j >= 0; j--) {
            if (field->class_of[j] == j && layers_alike(&region->layers[i], &region->layers[j])) {
                field->class_of[i] = j;
            }
        }
    }
}

/* The layer as its cut wants it. */
static struct layer as_cut(const struct region *region, int index, const struct cut *cut) {
    struct layer layer = region->layers[index];
    if (layer.turned != cut->turned) {
        layer_turn(&layer);
    }
    return layer;
}

/* ---- repair ---- */

static void repair_cut(const struct region *region, int index, struct cut *cut) {
    const struct layer layer = as_cut(region, index, cut);
    int64_t blocks = blocks_of(region->config, layer.out.c);
    int64_t entries = (int64_t)weft_acc_entries(region->config);
    bool has_products = operations_of(&layer)->has_products;
    cut->stripe_rows = weft_clamp(cut->stripe_rows, cut->turned ? layer.out.h : 1, layer.out.h);
    cut->stripe_images = weft_clamp(cut->stripe_images, 1, layer.out.n);
    cut->stripe_buffers = weft_clamp(cut->stripe_buffers, 1, MOST_BUFFERS);
    cut->tile_rows = weft_clamp(cut->tile_rows, 1, cut->stripe_rows);
    cut->tile_columns = weft_clamp(cut->tile_columns, 1, layer.out.w);
    cut->tile_blocks = weft_clamp(cut->tile_blocks, 1, blocks);
    if (has_products) {
        cut->tile_columns = weft_min(cut->tile_columns, entries);
        cut->tile_rows = weft_clamp(entries / cut->tile_columns, 1, cut->tile_rows);
        cut->tile_blocks =
            weft_clamp(entries / (cut->tile_columns * cut->tile_rows), 1, cut->tile_blocks);
        cut->tile_blocks = whole_multiples(&layer, cut->tile_blocks);
    } else {
        cut->weights_outer = false;
    }
    int64_t groups = weft_ceil_div(blocks, cut->tile_blocks);
    cut->stripe_groups = cut->weights_outer ? weft_clamp(cut->stripe_groups, 1, groups) : groups;
}

void move_repair(const struct region *region, struct decisions *decisions) {
    for (int i = 0; i < region->layer_count; i++) {
        struct cut *cut = &decisions->cuts[i];
        if (layer_is_idle(region, i)) {
            continue;
        }
        repair_cut(region, i, cut);
        cut->ahead = cut->ahead && cut->linked;
        if (cut->linked) {
            decisions->keeps[region->tensors_of[i][2]].resident = false;
        }
        if (cut->turned) {
            decisions->keeps[region->tensors_of[i][0]].packed = false;
        }
    }
}

/* ---- values ---- */

/* Another value from `low` to `high`: near it, a part or a multiple of it, an equal part of the
 * most there can be, or any. False: there is none. */
static bool other_value(struct draw *draw, int64_t low, int64_t high, int64_t *value) {
    int64_t old = *value;
    if (high <= low) {
        return false;
    }
    switch (draw_below(draw, 6)) {
    case 0:
        *value = old + 1;
        break;
    case 1:
        *value = old - 1;
        break;
    case 2:
        *value = draw_one_in(draw, 2) ? (old + 1) / 2 : old * 2;
        break;
    case 3:
        *value = old + draw_below(draw, 9) - 4;
        break;
    case 4:
        *value = weft_ceil_div(high, 1 + draw_below(draw, weft_min(high, 12)));
        break;
    default:
        *value = low + draw_below(draw, high - low + 1);
        break;
    }
    *value = weft_clamp(*value, low, high);
    return *value != old;
}

/* ---- moves of a layer ---- */

/* One of the tensors of a layer that is not there from the start as a constant. */
static int some_tensor(struct draw *draw, const struct region *region, int layer) {
    int slots[3] = {0, 2, 2};
    int64_t count = 2;
    if (region->layers[layer].input_count > 1) {
        slots[2] = 1;
        count = 3;
    }
    return region->tensors_of[layer][slots[draw_below(draw, count)]];
}

static bool flip_link(const struct region *region, int layer, struct decisions *decisions) {
    struct cut *cut = &decisions->cuts[layer];
    int next = next_busy_layer(region, layer);
    bool can_be = next >= 0 && operations_of(&region->layers[layer])->in_chains &&
                  operations_of(&region->layers[next])->in_chains &&
                  slot_between(region, layer, next) >= 0;
    cut->linked = !cut->linked;
    return can_be || !cut->linked;
}

static bool flip_resident(const struct region *region, int tensor, struct decisions *decisions) {
    struct keep *keep = &decisions->keeps[tensor];
    const struct tensor *of = &region->tensors[tensor];
    if (!keep->resident && of->producer >= 0) {
        decisions->cuts[of->producer].linked = false;
    }
    keep->resident = !keep->resident;
    return keep->resident ? can_reside(of) : !of->stays;
}

static bool change_banks(struct draw *draw, const struct region *region, int tensor,
                         struct decisions *decisions) {
    struct keep *keep = &decisions->keeps[tensor];
    int64_t most = region->config->act_bytes / decisions->as_if.act_bytes;
    if (most == 1 || draw_one_in(draw, 2)) {
        keep->own_banks = !keep->own_banks;
        return true;
    }
    bool is_looked_up = keep->packed && region->tensors[tensor].table != NULL;
    return !is_looked_up && other_value(draw, 1, most, &keep->stretch);
}

static bool flip_pack(const struct region *region, int tensor, struct decisions *decisions) {
    struct keep *keep = &decisions->keeps[tensor];
    const struct tensor *of = &region->tensors[tensor];
    keep->packed = !keep->packed;
    return of->can_pack && table_has_zero(of) &&
           !(keep->packed && keep->stretch > 1 && of->table != NULL);
}

static bool move_layer(struct draw *draw, const struct region *region, enum move_kind kind,
                       int index, struct decisions *decisions) {
    struct cut *cut = &decisions->cuts[index];
    const struct layer layer = as_cut(region, index, cut);
    int64_t blocks = blocks_of(region->config, layer.out.c);
    bool has_products = operations_of(&layer)->has_products;
    switch (kind) {
    case MOVE_TILE_ROWS:
        return other_value(draw, 1, cut->stripe_rows, &cut->tile_rows);
    case MOVE_TILE_COLUMNS:
        return has_products && other_value(draw, 1, layer.out.w, &cut->tile_columns);
    case MOVE_TILE_BLOCKS:
        return has_products && other_value(draw, 1, blocks, &cut->tile_blocks);
    case MOVE_STRIPE_ROWS:
        return !cut->turned && other_value(draw, 1, layer.out.h, &cut->stripe_rows);
    case MOVE_STRIPE_GROUPS:
        return cut->weights_outer &&
               other_value(draw, 1, weft_ceil_div(blocks, cut->tile_blocks), &cut->stripe_groups);
    case MOVE_STRIPE_BUFFERS:
        return other_value(draw, 1, MOST_BUFFERS, &cut->stripe_buffers);
    case MOVE_PIECES:
        cut->tile_blocks = 1;
        return operations_of(&layer)->cuts_weights &&
               other_value(draw, 1, blocks_of(region->config, layer.in.c), &cut->weight_pieces);
    case MOVE_INPUTS:
        return other_value(draw, 0, most_early_blocks(region, index), &cut->early_blocks);
    case MOVE_ORDER:
        cut->weights_outer = !cut->weights_outer;
        return has_products;
    case MOVE_APART:
        cut->apart = !cut->apart;
        return can_be_apart(region, index);
    case MOVE_AHEAD:
        cut->ahead = !cut->ahead;
        return cut->linked && operations_of(&layer)->by_vector;
    case MOVE_BESIDE:
        return can_be_beside(region, index) &&
               other_value(draw, BESIDE_NONE, BESIDE_WAYS - 1, &cut->beside);
    case MOVE_PUT_OFF:
        return other_value(draw, -most_put_off(region, index), most_put_off(region, index),
                           &cut->put_off);
    case MOVE_LINK:
        return flip_link(region, index, decisions);
    case MOVE_TURN:
        cut->turned = !cut->turned;
        cut->stripe_rows = layer.out.w;
        cut->tile_rows = cut->tile_columns;
        cut->tile_columns = layer.out.h;
        return layer.can_turn;
    case MOVE_RESIDENT:
        return flip_resident(region, some_tensor(draw, region, index), decisions);
    case MOVE_BANKS:
        return change_banks(draw, region, some_tensor(draw, region, index), decisions);
    default:
        return flip_pack(region, region->tensors_of[index][0], decisions);
    }
}

/* ---- moves of a region ---- */

/* Half or twice a size, of this machine or a smaller one. */
static bool change_memory(struct draw *draw, int64_t real, int64_t *bytes) {
    int64_t old = *bytes;
    *bytes = draw_one_in(draw, 2) ? old / 2 : old * 2;
    *bytes = weft_clamp(*bytes, weft_max(real / 64, 1), real);
    return *bytes != old;
}

static bool move_region(struct draw *draw, const struct region *region,
                        struct decisions *decisions) {
    const struct weft_config *config = region->config;
    int64_t most_kept = (int64_t)weft_banks(config, WEFT_MEMORY_WGT) - 2;
    struct weft_error error;
    bool good = true;
    switch (draw_below(draw, 8)) {
    case 0:
        decisions->halve_loads = !decisions->halve_loads;
        return true;
    case 1:
        decisions->whole_rams = !decisions->whole_rams;
        return true;
    case 2:
        return other_value(draw, 0, most_kept, &decisions->kept_banks);
    case 3:
        good = change_memory(draw, config->act_bytes, &decisions->as_if.act_bytes);
        for (int t = 0; t < region->tensor_count; t++) {
            struct keep *keep = &decisions->keeps[t];
            keep->stretch = weft_min(keep->stretch, config->act_bytes / decisions->as_if.act_bytes);
        }
        break;
    case 4:
        decisions->plain_weights = !decisions->plain_weights;
        return config->compression != 0;
    case 5:
        if (region->groups > 1 && draw_one_in(draw, 2)) {
            decisions->keep_in_group = !decisions->keep_in_group;
        } else {
            decisions->keep_longest = !decisions->keep_longest;
        }
        return decisions->kept_banks > 0;
    case 6:
        good = change_memory(draw, config->wgt_bytes, &decisions->as_if.wgt_bytes);
        break;
    default:
        good = change_memory(draw, config->par_bytes, &decisions->as_if.par_bytes);
        break;
    }
    return good && check_as_if(config, &decisions->as_if, &error);
}

bool move_make(struct draw *draw, const struct move_field *field, enum move_kind kind, int layer,
               bool all_alike, struct decisions *decisions) {
    const struct region *region = field->region;
    if (kind == MOVE_REGION) {
        return move_region(draw, region, decisions);
    }
    const struct draw begun = *draw;
    if (layer_is_idle(region, layer) || !move_layer(draw, region, kind, layer, decisions)) {
        return false;
    }
    for (int k = 0; k < field->layer_count && all_alike; k++) {
        int other = field->layers[k];
        if (other != layer && field->class_of[other] == field->class_of[layer]) {
            struct draw same = begun; /* the same change */
            if (!move_layer(&same, region, kind, other, decisions)) {
                return false;
            }
        }
    }
    return true;
}
