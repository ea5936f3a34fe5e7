/* Layers of VECTOR's that are carried out between the tiles of a layer of products, their host, so
 * that VECTOR is at them while MATRIX is at that. Those before it, which it does not need, are
 * spread over its tiles; those behind it follow its rows. */
#include "compiler/plan/plan.h"

/* Is everything that a layer reads made by others on chip, or given from outside? What others have
 * to store first is not there between tiles. */
static bool reads_what_is_made(const struct region *region, int layer) {
    bool good = true;
    for (uint32_t k = 0; k < region->layers[layer].input_count; k++) {
        const struct tensor *tensor = &region->tensors[region->tensors_of[layer][k]];
        bool is_given = tensor->input >= 0 || tensor->constant != NULL;
        good = good && (is_given || !is_from_memory(tensor));
    }
    return good;
}

bool can_be_beside(const struct region *region, int layer) {
    const struct layer *of = &region->layers[layer];
    bool is_kind = of->kind == LAYER_TABLE || of->kind == LAYER_BINARY || of->kind == LAYER_MAXPOOL;
    return !layer_is_idle(region, layer) && is_kind && of->summed == 0 &&
           !is_abreast(region, layer) && reads_what_is_made(region, layer);
}

/* Can a layer have others between its tiles? */
static bool can_be_host(const struct region *region, int layer) {
    enum layer_kind kind = region->layers[layer].kind;
    return (kind == LAYER_CONV || kind == LAYER_DEPTHWISE) && !is_abreast(region, layer);
}

void usual_beside(const struct region *region, int64_t *usual) {
    bool is_behind_host = false;
    for (int i = 0; i < region->layer_count; i++) {
        bool can = can_be_beside(region, i);
        usual[i] = !can ? BESIDE_NONE : is_behind_host ? BESIDE_LAST : BESIDE_NEXT;
        if (!can && !layer_is_idle(region, i)) {
            is_behind_host = can_be_host(region, i);
        }
    }
}

static bool needs(const struct region *region, int layer, int tensor) {
    bool found = false;
    for (uint32_t k = 0; k < region->layers[layer].input_count; k++) {
        found = found || region->tensors_of[layer][k] == tensor;
    }
    return found;
}

/* Those behind a host, up to the first that is not. */
static void follow_last(struct plan *plan) {
    const struct region *region = plan->region;
    int before = -1; /* the last busy layer */
    for (int i = 0; i < region->layer_count; i++) {
        plan->host_of[i] = i;
        if (layer_is_idle(region, i)) {
            continue;
        }
        if (before >= 0 && cut_of(plan, i)->beside == BESIDE_LAST) {
            int host = plan->host_of[before];
            plan->host_of[i] = can_be_host(region, host) ? host : i;
        }
        before = i;
    }
}

/* Those before a host, from the last one that is not on. */
static void follow_next(struct plan *plan) {
    const struct region *region = plan->region;
    int next = -1; /* busy layer */
    for (int i = region->layer_count - 1; i >= 0; i--) {
        if (layer_is_idle(region, i)) {
            continue;
        }
        int host = next < 0 ? i : plan->host_of[next];
        if (cut_of(plan, i)->beside == BESIDE_NEXT && host >= next && can_be_host(region, host) &&
            reads_what_is_made(region, host) && !needs(region, host, region->tensors_of[i][2])) {
            plan->host_of[i] = host;
        }
        next = i;
    }
}

void beside_follow(struct plan *plan) {
    follow_last(plan);
    follow_next(plan);
}
