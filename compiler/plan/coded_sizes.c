/* Where coded bytes of weights are kept: of layers as they were listed once for all regions. */
#include "compiler/plan/region.h"

bool has_listed_weights(const struct region *region, int index, const struct layer *layer) {
    if (region->listed_coded == NULL || region->origin == NULL) {
        return false;
    }
    const struct layer *listed = &region->listed[region->origin[index]];
    return layer->weights == listed->weights && layer->in.c == listed->in.c &&
           layer->out.c == listed->out.c && layer->groups == listed->groups &&
           layer->kernel[layer->turned] == listed->kernel[listed->turned] &&
           layer->kernel[!layer->turned] == listed->kernel[!listed->turned];
}

enum {
    MOST_GROUPED_TILES = 1 << 20
};

/* Are coded sizes of a layer's weights kept? Of a convolution in many groups most tiles between
 * blocks are none, and would take more room than the weights. */
static bool keeps_sizes(const struct weft_config *config, const struct layer *layer) {
    return layer->kind == LAYER_DEPTHWISE ||
           (layer->kind == LAYER_CONV &&
            (layer->groups == 1 || dense_tiles(config, layer) <= MOST_GROUPED_TILES));
}

struct coded_sizes *make_coded_sizes(const struct region *region) {
    struct weft_arena *arena = region->arena;
    size_t count = 2 * (size_t)region->layer_count;
    struct coded_sizes *room = WEFT_NEW_ARRAY(arena, count, struct coded_sizes);
    for (int i = 0; i < region->layer_count && region->config->compression != 0; i++) {
        const struct layer *layer = &region->layers[i];
        bool has_own = keeps_sizes(region->config, layer) && !has_listed_weights(region, i, layer);
        for (size_t turned = 0; has_own && turned <= layer->can_turn; turned++) {
            struct coded_sizes *sizes = &room[2 * (size_t)i + turned];
            size_t blocks = (size_t)blocks_of(region->config, layer->out.c);
            size_t tiles = (size_t)dense_tiles(region->config, layer);
            bool is_dense = layer->kind == LAYER_CONV;
            sizes->pieces = WEFT_NEW_ARRAY(arena, is_dense ? tiles : blocks * MAX_WINDOW_PARTS,
                                           _Atomic uint64_t);
            if (is_dense) {
                sizes->tiles = WEFT_NEW_ARRAY(arena, tiles, _Atomic uint16_t);
            }
        }
    }
    return room;
}
