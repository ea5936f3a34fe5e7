/* The least and the most that channels are scaled by, block by block: plans ask for them again and
 * again. */
#include <limits.h>

#include "base/integer.h"
#include "compiler/lower/layer.h"

static const struct scaling_range nothing = {{INT32_MAX, INT32_MIN}, INT32_MAX, {INT_MAX, INT_MIN}};

/* Makes a range that holds another one, too. */
static void widen(struct scaling_range *range, const struct scaling_range *by) {
    range->bias[0] = by->bias[0] < range->bias[0] ? by->bias[0] : range->bias[0];
    range->bias[1] = by->bias[1] > range->bias[1] ? by->bias[1] : range->bias[1];
    range->multiplier = by->multiplier < range->multiplier ? by->multiplier : range->multiplier;
    range->shift[0] = by->shift[0] < range->shift[0] ? by->shift[0] : range->shift[0];
    range->shift[1] = by->shift[1] > range->shift[1] ? by->shift[1] : range->shift[1];
}

static struct scaling_range range_of_block(const struct weft_config *config,
                                           const struct layer *layer, int64_t block) {
    struct scaling_range range = nothing;
    int64_t end = weft_min((block + 1) * config->block, layer->out.c);
    for (int64_t o = block * config->block; o < end; o++) {
        int32_t bias = layer->bias[o];
        int shift = layer->requant.shift[o];
        const struct scaling_range channel = {
            {bias, bias}, layer->requant.multiplier[o], {shift, shift}};
        widen(&range, &channel);
    }
    return range;
}

void find_scaling_ranges(struct weft_arena *arena, const struct weft_config *config,
                         struct layer *layer) {
    if (!layer->requant.per_channel || config->short_records == 0) {
        return; /* nobody asks */
    }
    int64_t blocks = weft_ceil_div(layer->out.c, config->block);
    struct scaling_range *ranges = WEFT_NEW_ARRAY(arena, (size_t)blocks, struct scaling_range);
    for (int64_t i = 0; i < blocks; i++) {
        ranges[i] = range_of_block(config, layer, i);
    }
    layer->ranges = ranges;
}

struct scaling_range scaling_range_of(const struct weft_config *config, const struct layer *layer,
                                      int64_t first, int64_t end) {
    struct scaling_range range = nothing;
    for (int64_t i = first; i < end; i++) {
        const struct scaling_range found =
            layer->ranges != NULL ? layer->ranges[i] : range_of_block(config, layer, i);
        widen(&range, &found);
    }
    return range;
}
