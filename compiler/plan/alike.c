/* Layers whose constants are the same bytes, as those of the steps of a recurrent network: the
 * first of them has these in the constants region, and on chip, for all. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "compiler/plan/region.h"

struct keyed {
    uint64_t key; /* of what has to be the same */
    int layer;
};

static int by_key(const void *a, const void *b) {
    const struct keyed *x = a;
    const struct keyed *y = b;
    return x->key != y->key ? (x->key > y->key) - (x->key < y->key) : x->layer - y->layer;
}

static bool has_weights(const struct layer *layer) {
    return layer->kind == LAYER_CONV || layer->kind == LAYER_DEPTHWISE;
}

static uint64_t weights_key(const struct layer *layer) {
    uint64_t key = weft_hash_u64(WEFT_HASH_START, (uint64_t)(uintptr_t)layer->weights);
    return weft_hash_u64(weft_hash_u64(key, (uint64_t)layer->out.c), (uint64_t)layer->in.c);
}

static bool same_weights(const struct layer *a, const struct layer *b) {
    return a->kind == b->kind && a->weights == b->weights && a->weight_zero == b->weight_zero &&
           a->in.c == b->in.c && a->out.c == b->out.c && a->groups == b->groups &&
           memcmp(a->kernel, b->kernel, sizeof a->kernel) == 0;
}

static bool has_parameters(const struct layer *layer) {
    return has_weights(layer) || layer->kind == LAYER_BINARY;
}

/* Multipliers and shifts of a requantisation. */
static size_t scalings_of(const struct layer *layer) {
    return layer->requant.per_channel ? (size_t)layer->out.c : 1;
}

static uint64_t parameters_key(const struct layer *layer) {
    uint64_t key = weft_hash_u64(WEFT_HASH_START, (uint64_t)layer->kind);
    if (layer->kind == LAYER_BINARY) {
        key = weft_hash_bytes(key, layer->multiplier, sizeof layer->multiplier);
        return weft_hash_bytes(key, layer->shift, sizeof layer->shift);
    }
    key = weft_hash_bytes(key, layer->bias, (size_t)layer->out.c * sizeof *layer->bias);
    return weft_hash_bytes(key, layer->requant.multiplier,
                           scalings_of(layer) * sizeof *layer->requant.multiplier);
}

static bool same_parameters(const struct layer *a, const struct layer *b) {
    const struct requant *of_a = &a->requant;
    const struct requant *of_b = &b->requant;
    if (a->kind != b->kind || a->function != b->function) {
        return false;
    }
    if (a->kind == LAYER_BINARY) {
        return memcmp(a->multiplier, b->multiplier, sizeof a->multiplier) == 0 &&
               memcmp(a->shift, b->shift, sizeof a->shift) == 0;
    }
    size_t scalings = scalings_of(a);
    return a->out.c == b->out.c && of_a->per_channel == of_b->per_channel &&
           memcmp(a->bias, b->bias, (size_t)a->out.c * sizeof *a->bias) == 0 &&
           memcmp(of_a->multiplier, of_b->multiplier, scalings * sizeof *of_a->multiplier) == 0 &&
           memcmp(of_a->shift, of_b->shift, scalings * sizeof *of_a->shift) == 0;
}

/* By layer: the first that is the same; itself. */
static int *first_of(const struct region *region, bool (*has)(const struct layer *),
                     uint64_t (*key_of)(const struct layer *),
                     bool (*same)(const struct layer *, const struct layer *)) {
    size_t layers = (size_t)region->layer_count;
    int *first = WEFT_NEW_ARRAY(region->arena, layers, int);
    struct keyed *keyed = WEFT_NEW_ARRAY(region->arena, layers, struct keyed);
    size_t count = 0;
    for (int i = 0; i < region->layer_count; i++) {
        first[i] = i;
        if (has(&region->layers[i]) && !is_done(region, i)) {
            keyed[count++] = (struct keyed){key_of(&region->layers[i]), i};
        }
    }
    qsort(keyed, count, sizeof *keyed, by_key);
    for (size_t i = 1; i < count; i++) {
        int before = first[keyed[i - 1].layer];
        if (keyed[i].key == keyed[i - 1].key &&
            same(&region->layers[before], &region->layers[keyed[i].layer])) {
            first[keyed[i].layer] = before;
        }
    }
    return first;
}

/* Constants of few layers that are alike come with those of neighbours: sharing them saves little,
 * and costs LOADs of their own. Leaves the others; are there any? */
static bool leave_steps(const struct region *region, int *first) {
    const int least = 4;
    bool any = false;
    int *count = WEFT_NEW_ARRAY(region->arena, (size_t)region->layer_count, int);
    for (int i = 0; i < region->layer_count; i++) {
        count[first[i]]++;
    }
    for (int i = 0; i < region->layer_count; i++) {
        any = any || count[first[i]] >= least;
        first[i] = count[first[i]] < least ? i : first[i];
    }
    return any;
}

void region_alike(struct region *region) {
    int *weights = first_of(region, has_weights, weights_key, same_weights);
    region->weights_of = region->parameters_of = NULL;
    if (leave_steps(region, weights)) {
        region->weights_of = weights;
        region->parameters_of = first_of(region, has_parameters, parameters_key, same_parameters);
        (void)leave_steps(region, region->parameters_of);
    }
}
