/* Decisions for a region: everything on chip and whole, then less and less until there is room. */
#include "base/integer.h"
#include "compiler/plan/plan.h"

enum {
    LONG_STRIPE = 4 /* rows: longer stripes become shorter for little */
};

struct choosing {
    struct plan *plan;
    struct decisions *decisions;
    const struct style *style;
    const struct hint *hints; /* by layer, or NULL */
    struct room *room;
    struct weft_error *error;
};

static struct hint hint_of(const struct choosing *c, int layer) {
    return c->hints == NULL ? (struct hint){0} : c->hints[layer];
}

static void choose_tiling(struct choosing *c, int layer) {
    const struct hint hint = hint_of(c, layer);
    tiling_choose(c->plan, c->decisions, layer, &hint);
}

/* ---- giving up ---- */

/* Those who use a tensor make room for it otherwise. */
static void change_users(struct choosing *c, int tensor) {
    const struct region *region = c->plan->region;
    for (int i = region->first_user[tensor]; i < region->first_user[tensor + 1]; i++) {
        room_change_layer(c->room, region->users[i]);
    }
}

/* Blocks of a tensor that lives at the same time share banks. */
static bool share(struct choosing *c, const struct item *blocked) {
    int tensor = c->style->share_banks ? room_share_beside(c->room, c->decisions, blocked) : -1;
    if (tensor >= 0) {
        change_users(c, tensor);
    }
    return tensor >= 0;
}

/* Gives up a resident tensor that lives at the same time as the item that found no room: the
 * largest. */
static bool evict(struct choosing *c, const struct item *blocked) {
    int victim = room_largest_beside(c->room, blocked);
    if (victim < 0) {
        return false;
    }
    c->decisions->keeps[victim].resident = false;
    room_change_tensor(c->room, victim);
    change_users(c, victim);
    return true;
}

/* Smaller stripes for the layer whose buffers found no room: fewer groups, which costs nothing,
 * then fewer images, then fewer rows. One that is turned has no rows to cut until it is turned
 * back. The last resort is to have each buffer once, so that loads and stores wait for the work
 * between them. */
static bool shorten_stripe(struct choosing *c, int layer) {
    struct cut *cut = &c->decisions->cuts[layer];
    if (cut->stripe_groups > 1 && cut->weights_outer) {
        cut->stripe_groups = (cut->stripe_groups + 1) / 2;
        return true;
    }
    if (cut->stripe_images > 1) {
        cut->stripe_images = (cut->stripe_images + 1) / 2;
        return true;
    }
    if (cut->turned) {
        cut->turned = false;
        choose_tiling(c, layer);
        return true;
    }
    if (cut->stripe_rows > 1) {
        cut->stripe_rows = (cut->stripe_rows + 1) / 2;
        cut->tile_rows = weft_min(cut->tile_rows, cut->stripe_rows);
        tiling_follow(c->plan, layer);
        return true;
    }
    return --cut->stripe_buffers > 0;
}

static bool shorten(struct choosing *c, int layer) {
    bool shortened = shorten_stripe(c, layer);
    room_change_layer(c->room, layer);
    return shortened;
}

/* A product that finds no room of its own is made where the result lies. */
static bool join(struct choosing *c, const struct item *blocked) {
    bool joins = blocked->tensor < 0 && blocked->slot == SLOT_PRODUCT;
    if (joins) {
        c->decisions->cuts[blocked->layer].apart = false;
        room_change_layer(c->room, c->plan->chain_first[blocked->layer]);
        room_change_tensor(c->room, c->plan->region->tensors_of[blocked->layer][2]);
    }
    return joins;
}

/* Third buffers of the layers [first, last], beside which an item found no room, go. */
static bool drop_third_buffers(struct choosing *c, int first, int last) {
    bool found = false;
    for (int i = first; i <= last; i++) {
        struct cut *cut = &c->decisions->cuts[i];
        if (c->plan->chain_first[i] == i && cut->stripe_buffers > 2) {
            cut->stripe_buffers = 2;
            room_change_layer(c->room, i);
            found = true;
        }
    }
    return found;
}

/* Makes room for an item that found none; false: there is nothing left to give up. */
static bool give_up(struct choosing *c, const struct item *blocked) {
    int last = blocked->tensor < 0 ? c->plan->chain_last[blocked->layer] : -1;
    return drop_third_buffers(c, blocked->first, blocked->last) || join(c, blocked) ||
           (last >= 0 && c->style->shorten_first &&
            c->decisions->cuts[last].stripe_rows > LONG_STRIPE && shorten(c, last)) ||
           share(c, blocked) || evict(c, blocked) || (last >= 0 && shorten(c, last));
}

/* ---- finding room ---- */

/* Finds room for everything, beginning with all tensors that could be resident. */
static bool find_room(struct choosing *c) {
    const struct region *region = c->plan->region;
    for (int t = 0; t < region->tensor_count; t++) {
        const struct tensor *tensor = &region->tensors[t];
        bool is_linked =
            c->plan->locations[t].is_between || (c->style->chains && tensor->producer >= 0 &&
                                                 is_better_linked(c->plan, tensor->producer));
        c->decisions->keeps[t].resident = can_reside(tensor) && (tensor->stays || !is_linked);
    }
    for (int i = 0; i < region->layer_count && c->hints != NULL; i++) {
        int operand = region->tensors_of[i][0];
        if (c->hints[i].streams && is_from_memory(&region->tensors[operand]) &&
            !region->tensors[operand].stays) {
            c->decisions->keeps[operand].resident = false;
        }
    }
    c->room = room_start(c->plan);
    for (const struct item *blocked = room_place(c->room); blocked != NULL;
         blocked = room_place(c->room)) {
        if (!give_up(c, blocked)) {
            return weft_fail(c->error, WEFT_CAPACITY, (uint64_t)blocked->layer,
                             "layer %d (%s) does not fit the activation memory even row by row",
                             blocked->layer, region->layers[blocked->layer].name);
        }
    }
    return true;
}

/* ---- where everything begins ---- */

/* A window along a column is turned unless its tensors are long: those are carried out in stripes
 * of rows. */
static bool begins_turned(const struct weft_config *config, const struct layer *layer) {
    int64_t most = config->act_bytes / 8;
    return layer->can_turn && layer->in.h * layer->in.c <= most &&
           layer->out.h * layer->out.c <= most;
}

/* Between whose tiles a layer is carried out, which can be. */
static int64_t begins_beside(const struct choosing *c, const struct region *region, int layer,
                             int64_t usual) {
    bool is_one = c->style->beside == OTHERS_ALL || (c->style->beside == OTHERS_FUNCTIONS &&
                                                     region->layers[layer].kind == LAYER_TABLE);
    return ((is_one ? usual : BESIDE_NONE) + hint_of(c, layer).beside) % BESIDE_WAYS;
}

static void begin(struct choosing *c, struct weft_arena *arena, const struct region *region,
                  const struct weft_config *config) {
    struct decisions *decisions = c->decisions;
    *decisions = (struct decisions){
        .behind = c->style->behind,
        .halve_loads = c->style->halve_loads,
        .whole_rams = c->style->whole_rams,
        .kept_banks = c->style->kept_banks,
        .keep_longest = c->style->keep_longest,
        .keep_in_group = c->style->keep_in_group,
        .plain_weights = c->style->plain_weights,
        .as_if = {config->act_bytes, config->wgt_bytes, config->par_bytes},
        .layer_count = region->layer_count,
        .tensor_count = region->tensor_count,
        .cuts = WEFT_NEW_ARRAY(arena, (size_t)region->layer_count, struct cut),
        .keeps = WEFT_NEW_ARRAY(arena, (size_t)region->tensor_count, struct keep)};
    for (int t = 0; t < region->tensor_count; t++) {
        const struct tensor *tensor = &region->tensors[t];
        decisions->keeps[t].own_banks = true;
        decisions->keeps[t].stretch = 1;
        decisions->keeps[t].packed = tensor->can_pack && table_has_zero(tensor);
    }
    int64_t *usual = WEFT_NEW_ARRAY(arena, (size_t)region->layer_count, int64_t);
    usual_beside(region, usual);
    for (int i = 0; i < region->layer_count; i++) {
        const struct layer *layer = &region->layers[i];
        struct keep *operand = &decisions->keeps[region->tensors_of[i][0]];
        decisions->cuts[i].turned =
            layer->can_turn && begins_turned(config, layer) != hint_of(c, i).other_turn;
        operand->packed = operand->packed && !decisions->cuts[i].turned;
        decisions->cuts[i].apart =
            can_be_apart(region, i) && c->style->apart != hint_of(c, i).other_apart;
        if (usual[i] != BESIDE_NONE) {
            decisions->cuts[i].beside = begins_beside(c, region, i, usual[i]);
        }
    }
}

/* What is made ahead is made beside the stripe before, so there are several stripes, each of some
 * pixels. */
static void shorten_beside(struct choosing *c, int last) {
    enum {
        STRIPES = 8,
        LEAST_PIXELS = 16
    };
    const struct layer *layer = c->plan->layers[last];
    struct cut *cut = &c->decisions->cuts[last];
    int64_t rows =
        weft_max(weft_ceil_div(layer->out.h, STRIPES), weft_ceil_div(LEAST_PIXELS, layer->out.w));
    if (c->decisions->cuts[c->plan->chain_first[last]].ahead && hint_of(c, last).stripe_rows == 0 &&
        rows < cut->stripe_rows) {
        cut->stripe_rows = rows;
        cut->tile_rows = weft_min(cut->tile_rows, rows);
        tiling_follow(c->plan, last);
    }
}

bool choose_decisions(struct weft_arena *arena, const struct region *region,
                      const struct weft_config *config, const struct style *style,
                      const struct hint *hints, struct decisions *decisions, struct plan *plan,
                      struct weft_error *error) {
    struct choosing c = {
        .plan = plan, .decisions = decisions, .style = style, .hints = hints, .error = error};
    begin(&c, arena, region, config);
    plan_start(arena, region, config, decisions, plan);
    for (int i = 0; i < region->layer_count; i++) {
        choose_tiling(&c, i);
    }
    if (!find_room(&c)) {
        return false;
    }
    if (style->chains && chain_choose(plan, hints, decisions)) {
        chain_follow(plan);
        for (int i = 0; i < region->layer_count; i++) {
            choose_tiling(&c, i);
            if (plan->chain_last[i] == i) {
                shorten_beside(&c, i);
            }
        }
        if (!find_room(&c)) {
            return false;
        }
    }
    plan_finish(plan, c.room);
    return true;
}
