/* Orders of the layers of a region, as they were listed: any in which each comes after those that
 * make what it reads. */
#include <string.h>

#include "base/integer.h"
#include "compiler/plan/region.h"

/* ---- what is possible ---- */

/* Does layer `reader` read what layer `maker` makes, or a part of it? */
static bool reads(const struct region *listed, int reader, int maker) {
    bool found = false;
    for (uint32_t k = 0; k < listed->layers[reader].input_count; k++) {
        found = found || listed->tensors_of[reader][k] == listed->tensors_of[maker][2];
    }
    return found;
}

/* Counts by tensor the layers that make it: of a concatenation one for each operand. */
static void count_makers(const struct region *listed, int *makers) {
    for (int i = 0; i < listed->layer_count; i++) {
        makers[listed->tensors_of[i][2]]++;
    }
}

/* Is all there that a layer reads, when `missing` layers, by tensor, are still to come? */
static bool is_ready(const struct region *listed, const int *missing, int layer) {
    bool ready = true;
    for (uint32_t k = 0; k < listed->layers[layer].input_count; k++) {
        ready = ready && missing[listed->tensors_of[layer][k]] == 0;
    }
    return ready;
}

int order_wrong_at(const struct region *listed, const int *order) {
    int *missing = WEFT_NEW_ARRAY(listed->arena, (size_t)listed->tensor_count, int);
    bool *done = WEFT_NEW_ARRAY(listed->arena, (size_t)listed->layer_count, bool);
    count_makers(listed, missing);
    for (int at = 0; at < listed->layer_count; at++) {
        int layer = order[at];
        if (done[layer] || !is_ready(listed, missing, layer)) {
            return at;
        }
        done[layer] = true;
        missing[listed->tensors_of[layer][2]]--;
    }
    return -1;
}

/* ---- work ---- */

/* Is a layer more than a name, or bytes that lie elsewhere? */
static bool is_work(const struct region *listed, int layer) {
    const struct layer_operations *operations = operations_of(&listed->layers[layer]);
    return operations->makes_on_chip && operations->reads_on_chip;
}

bool order_has_choice(const struct region *listed) {
    int before = -1;
    bool found = false;
    for (int i = 0; i < listed->layer_count; i++) {
        if (operations_of(&listed->layers[i])->gathers_weights) {
            return false;
        }
        if (is_work(listed, i)) {
            found = found || (before >= 0 && !reads(listed, i, before));
            before = i;
        }
    }
    return found;
}

int *order_readers(const struct region *listed) {
    int *readers = WEFT_NEW_ARRAY(listed->arena, (size_t)listed->tensor_count, int);
    for (int i = 0; i < listed->layer_count; i++) {
        for (uint32_t k = 0; k < listed->layers[i].input_count; k++) {
            readers[listed->tensors_of[i][k]]++;
        }
    }
    return readers;
}

/* Does order[at] go on with what the layer before it makes for it alone? */
static bool continues(const struct region *listed, const int *readers, const int *order, int at) {
    return at > 0 && at < listed->layer_count && is_work(listed, order[at - 1]) &&
           is_work(listed, order[at]) && reads(listed, order[at], order[at - 1]) &&
           readers[listed->tensors_of[order[at - 1]][2]] == 1;
}

int order_run(const struct region *listed, const int *readers, const int *order, int first) {
    int end = first;
    if (is_work(listed, order[first]) && !continues(listed, readers, order, first)) {
        do {
            end++;
        } while (continues(listed, readers, order, end));
    }
    return end;
}

/* ---- moves ---- */

/* Does a layer depend on one of others, or one of them on it? */
static bool is_bound(const struct region *listed, int layer, const int *others, int count) {
    bool found = false;
    for (int i = 0; i < count; i++) {
        found = found || reads(listed, layer, others[i]) || reads(listed, others[i], layer);
    }
    return found;
}

bool order_move(const struct region *listed, const int *order, int first, int end, int by,
                int *moved, int *along, int range[2]) {
    int step = by < 0 ? -1 : 1;
    int count = listed->layer_count;
    int taken = end - first;
    int at = by < 0 ? first - 1 : end;
    memcpy(moved, order, (size_t)count * sizeof *order);
    for (int k = 0; k < taken; k++) {
        along[k] = by < 0 ? order[end - 1 - k] : order[first + k];
    }
    int to = by < 0 ? end - 1 : first; /* where what is passed goes, from here on */
    int passed = 0;
    for (; at >= 0 && at < count && passed < by * step; at += step) {
        bool works = is_work(listed, order[at]);
        if (!is_bound(listed, order[at], along, taken)) {
            moved[to] = order[at];
            to += step;
            passed += works;
        } else if (!works) {
            along[taken++] = order[at]; /* it comes along */
        } else {
            break;
        }
    }
    for (int k = 0; k < taken; k++) {
        moved[to + k * step] = along[k];
    }
    range[0] = by < 0 ? to - taken + 1 : first;
    range[1] = by < 0 ? end - 1 : to + taken - 1;
    return passed > 0;
}

/* ---- whole orders ---- */

struct ordering {
    const struct region *listed;
    int *missing; /* by tensor: layers that make it and are still to come */
    int *waiting; /* by tensor: operands of layers that are still to come */
    bool *done;   /* by layer */
    int *order;
    int count;
};

/* Bytes of a tensor on chip. */
static int64_t bytes_kept(const struct ordering *o, int tensor) {
    const struct tensor *t = &o->listed->tensors[tensor];
    int64_t blocks = blocks_of(o->listed->config, t->shape.c);
    bool is_elsewhere = t->joined || t->constant != NULL;
    return is_elsewhere ? 0 : t->shape.n * t->shape.h * t->shape.w * blocks;
}

/* What a layer adds to the bytes that are kept. */
static int64_t bytes_added(const struct ordering *o, int layer) {
    const int *tensors = o->listed->tensors_of[layer];
    uint32_t operands = o->listed->layers[layer].input_count;
    bool is_twice = operands == 2 && tensors[0] == tensors[1];
    int64_t added = bytes_kept(o, tensors[2]);
    for (uint32_t k = is_twice ? 1 : 0; k < operands; k++) {
        bool is_last = o->waiting[tensors[k]] == 1 + is_twice;
        added -= is_last ? bytes_kept(o, tensors[k]) : 0;
    }
    return added;
}

static void put(struct ordering *o, int layer) {
    o->done[layer] = true;
    o->order[o->count++] = layer;
    o->missing[o->listed->tensors_of[layer][2]]--;
    for (uint32_t k = 0; k < o->listed->layers[layer].input_count; k++) {
        o->waiting[o->listed->tensors_of[layer][k]]--;
    }
}

/* Always the layer that adds least. */
static void order_least(struct ordering *o) {
    while (o->count < o->listed->layer_count) {
        int best = -1;
        int64_t least = 0;
        for (int i = 0; i < o->listed->layer_count; i++) {
            int64_t added = bytes_added(o, i);
            if (!o->done[i] && is_ready(o->listed, o->missing, i) && (best < 0 || added < least)) {
                best = i;
                least = added;
            }
        }
        put(o, best);
    }
}

/* What is ready and has no products, unless it adds to what is kept, comes at once: VECTOR is at it
 * while MATRIX goes on. */
static void put_early(struct ordering *o) {
    for (int i = 0; i < o->listed->layer_count; i++) {
        if (!o->done[i] && is_ready(o->listed, o->missing, i) &&
            !operations_of(&o->listed->layers[i])->has_products && bytes_added(o, i) <= 0) {
            put(o, i);
            i = -1;
        }
    }
}

static void order_early(struct ordering *o) {
    for (int i = 0; i < o->listed->layer_count; i++) {
        if (!o->done[i]) {
            put(o, i);
            put_early(o);
        }
    }
}

void order_by_rule(const struct region *listed, enum order_rule rule, int *order) {
    static void (*const rules[ORDER_RULES])(struct ordering *) = {
        [ORDER_EARLY] = order_early, [ORDER_LEAST] = order_least};
    struct ordering o = {.listed = listed,
                         .missing =
                             WEFT_NEW_ARRAY(listed->arena, (size_t)listed->tensor_count, int),
                         .waiting = order_readers(listed),
                         .done = WEFT_NEW_ARRAY(listed->arena, (size_t)listed->layer_count, bool),
                         .order = order};
    count_makers(listed, o.missing);
    rules[rule](&o);
}
