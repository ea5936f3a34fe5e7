/* Where the pixels of a tensor are in ACT. */
#include "base/integer.h"
#include "compiler/plan/plan.h"

/* Bytes from column to column. */
static int64_t view_pixel_bytes(const struct plan *plan, int index) {
    return keep_of(plan, index)->packed ? plan->region->tensors[index].shape.c
                                        : plan->config->block;
}

bool view_has_window(const struct plan *plan, int index) {
    const struct keep *keep = keep_of(plan, index);
    int64_t steps = plan->region->tensors[index].window.steps;
    int64_t tile = (int64_t)plan->config->block * plan->config->block;
    return keep->packed && steps > 0 &&
           steps <= weft_bank_bytes(&plan->as_if, WEFT_MEMORY_WGT) / tile;
}

int64_t view_pitch(const struct plan *plan, int index) {
    const struct tensor *tensor = &plan->region->tensors[index];
    int64_t side = weft_max(tensor->halo[LEFT], tensor->halo[RIGHT]);
    /* Rows of a window then lie in different sub-banks. */
    int64_t odd = !keep_of(plan, index)->packed && tensor->odd_pitch ? 1 : 0;
    int64_t columns = ((tensor->shape.w + side) | odd) * keep_of(plan, index)->stretch;
    int64_t pitch = (columns | odd) * view_pixel_bytes(plan, index);
    return view_has_window(plan, index) ? dense_window_pitch(plan->config, &tensor->window, pitch)
                                        : pitch;
}

/* Are planes, or rows, worth banks of their own? Vector then writes one while matrix reads another;
 * not worth it for tiny ones. A stripe that is shorter than others, of which this may be true where
 * it is not of them, has no more room than they: `most` bytes. */
static int64_t in_own_banks(const struct plan *plan, int index, int64_t bytes, int64_t count,
                            int64_t most) {
    int64_t bank = weft_bank_bytes(plan->config, WEFT_MEMORY_ACT);
    int64_t stretch = keep_of(plan, index)->stretch;
    int64_t as_if = weft_bank_bytes(&plan->as_if, WEFT_MEMORY_ACT) * stretch;
    bool own =
        keep_of(plan, index)->own_banks && count > 1 && bytes * 4 >= as_if &&
        weft_round_up(bytes, as_if) * count <= (int64_t)plan->as_if.act_bytes * stretch / 4 &&
        weft_round_up(bytes, bank) * count <= most;
    return own ? weft_round_up(bytes, bank) : bytes;
}

struct view view_at(const struct plan *plan, int index, int64_t address,
                    const struct stripe *stripe, int64_t most, int64_t *bytes) {
    const struct tensor *tensor = &plan->region->tensors[index];
    int64_t block = plan->config->block;
    int64_t most_of_image = most / weft_max(stripe->end_image - stripe->first_image, 1);
    struct view view = {.pixel = view_pixel_bytes(plan, index),
                        .pitch = view_pitch(plan, index),
                        .first_row = stripe->first,
                        .row_step = stripe->row_step,
                        .first_image = stripe->first_image,
                        .first_block = stripe->first_block};
    int64_t lead = tensor->halo[LEFT] * view.pixel;
    view.base = address + lead;
    view.plane = weft_ceil_div(stripe->end - stripe->first, stripe->row_step) * view.pitch + lead;
    if (keep_of(plan, index)->packed) {
        /* A dense read takes B bytes, wherever it starts. */
        view.plane = weft_round_up(view.plane + block, block);
        view.image = view.plane;
    } else {
        int64_t planes = stripe_blocks(plan->config, tensor, stripe);
        if (tensor->rows_apart) {
            int64_t rows = tensor->turns > 0 ? tensor->turns : stripe->end - stripe->first;
            view.plane = view.pitch;
            view.pitch = in_own_banks(plan, index, planes * view.plane, rows, most_of_image);
            view.image = view.pitch * rows;
            *bytes = view.image * (stripe->end_image - stripe->first_image);
            return view;
        }
        view.plane = in_own_banks(plan, index, view.plane, planes, most_of_image);
        view.image = view.plane * planes;
    }
    *bytes = view.image * (stripe->end_image - stripe->first_image);
    return view;
}
