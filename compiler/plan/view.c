/* Where the pixels of a tensor are in ACT. */
#include "base/integer.h"
#include "compiler/plan/plan.h"

/* Bytes from column to column. */
static int64_t view_pixel_bytes(const struct plan *plan, int index) {
    return keep_of(plan, index)->packed ? plan->region->tensors[index].shape.c
                                        : plan->config->block;
}

int64_t view_pitch(const struct plan *plan, int index) {
    const struct tensor *tensor = &plan->region->tensors[index];
    int64_t side = weft_max(tensor->halo[LEFT], tensor->halo[RIGHT]);
    /* Rows of a window then lie in different sub-banks. */
    int64_t odd = !keep_of(plan, index)->packed && tensor->odd_pitch ? 1 : 0;
    int64_t columns = ((tensor->shape.w + side) | odd) * keep_of(plan, index)->stretch;
    return (columns | odd) * view_pixel_bytes(plan, index);
}

struct view view_at(const struct plan *plan, int index, int64_t address,
                    const struct stripe *stripe, int64_t *bytes) {
    const struct tensor *tensor = &plan->region->tensors[index];
    int64_t block = plan->config->block;
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
        int64_t bank = weft_bank_bytes(plan->config, WEFT_MEMORY_ACT);
        int64_t stretch = keep_of(plan, index)->stretch;
        int64_t as_if = weft_bank_bytes(&plan->as_if, WEFT_MEMORY_ACT) * stretch;
        int64_t planes = stripe_blocks(plan->config, tensor, stripe);
        /* Planes in banks of their own let vector write one while matrix reads another; not worth
         * it for tiny ones. */
        if (keep_of(plan, index)->own_banks && planes > 1 && view.plane * 4 >= as_if &&
            weft_round_up(view.plane, as_if) * planes <=
                (int64_t)plan->as_if.act_bytes * stretch / 4) {
            view.plane = weft_round_up(view.plane, bank);
        }
        view.image = view.plane * planes;
    }
    *bytes = view.image * (stripe->end_image - stripe->first_image);
    return view;
}
