/* Layers of an attention, which are carried out together: compiler/emit/attention.c. */
#include "base/integer.h"
#include "compiler/plan/region.h"

bool region_attention(const struct region *region, int first, int layers[PHASES]) {
    static const enum layer_kind kinds[PHASES] = {LAYER_MATMUL, LAYER_SOFTMAX, LAYER_MATMUL};
    int layer = first;
    for (int i = 0; i < PHASES; i++) {
        if (layer < 0 || region->layers[layer].kind != kinds[i]) {
            return false;
        }
        const struct tensor *operand = &region->tensors[region->tensors_of[layer][0]];
        if (i > 0 && (region->tensors_of[layer][0] != region->tensors_of[layers[i - 1]][2] ||
                      !operand->rows_apart)) {
            return false;
        }
        layers[i] = layer;
        layer = next_busy_layer(region, layer);
    }
    return region->tensors[region->tensors_of[layers[SOFTMAX]][2]].table == NULL;
}

/* All tensors of layers abreast keep their places until the last of these is done. */
static void live_abreast(struct region *region, int layer) {
    const struct run *run = &region->runs[layer];
    for (int slot = 0; slot < 3 && !layer_is_idle(region, layer) && is_abreast(region, layer);
         slot++) {
        if (slot == 2 || slot < (int)region->layers[layer].input_count) {
            struct tensor *tensor = &region->tensors[region->tensors_of[layer][slot]];
            tensor->first_life = (int)weft_min(tensor->first_life, run->first);
            tensor->last_life = (int)weft_max(tensor->last_life, run->last);
        }
    }
}

void region_lives(struct region *region) {
    for (int t = 0; t < region->tensor_count; t++) {
        struct tensor *tensor = &region->tensors[t];
        tensor->first_life = tensor->first_use;
        tensor->last_life = (int)weft_max(tensor->first_use, tensor->last_use);
    }
    for (int i = 0; i < region->layer_count; i++) {
        int layers[PHASES];
        live_abreast(region, i);
        if (!region_attention(region, i, layers)) {
            continue;
        }
        for (int phase = 0; phase < PHASES; phase++) {
            struct tensor *operand = &region->tensors[region->tensors_of[layers[phase]][0]];
            struct tensor *result = &region->tensors[region->tensors_of[layers[phase]][2]];
            operand->last_life = (int)weft_max(operand->last_life, layers[MIXED]);
            result->first_life = (int)weft_min(result->first_life, layers[SCORES]);
            result->last_life = (int)weft_max(result->last_life, layers[MIXED]);
        }
    }
}
