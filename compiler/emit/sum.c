/* Means over an image, added up behind the layer that makes their operand. */
#include "compiler/emit/work.h"

/* Appends steps, whose accumulators are those from number `first` on in the bank that is kept. */
static void append_kept(const struct work *work, const struct stream *steps, int64_t first) {
    for (size_t i = 0; i < steps->count; i++) {
        struct step step = steps->steps[i];
        step.accumulators = -1 - first;
        stream_add(work->stream, &step);
    }
}

static void add_up(const struct work *work, struct sum *sum) {
    struct stream steps = {.arena = work->stream->arena};
    struct work mean = work_for(work, layer_of(work)->summed);
    mean.stream = &steps;
    if (sum->is_pending) {
        operations_of(layer_of(&mean))->emit_sums(&mean, &sum->view, &sum->stripe);
        append_kept(work, &steps, sum->stripe.first_block);
        sum->is_pending = false;
    }
}

void sum_stripe(const struct work *work, struct sum *sum, const struct view *view,
                const struct stripe *stripe) {
    const int64_t *buffers = work->plan->buffers[work->layer].address[2];
    if (layer_of(work)->summed == 0 || stripe->first >= stripe->end) {
        return;
    }
    add_up(work, sum);
    *sum = (struct sum){true, *view, *stripe};
    if (!is_resident(work->plan, work->layer, 2) && buffers[0] == buffers[1]) {
        add_up(work, sum); /* before the next one is made over it */
    }
}

void sum_finish(const struct work *work, struct sum *sum) {
    const struct plan *plan = work->plan;
    if (layer_of(work)->summed == 0) {
        return;
    }
    add_up(work, sum);
    const struct work mean = work_for(work, layer_of(work)->summed);
    int index = operand_of(&mean, 2);
    const struct stripe whole = whole_tensor(&plan->region->tensors[index]);
    struct view out = mean_view(work, index, &whole);
    struct stream steps = {.arena = work->stream->arena};
    struct work division = mean;
    division.stream = &steps;
    operations_of(layer_of(&mean))->emit_mean(&division, &out);
    append_kept(work, &steps, 0);
    emit_table(&mean, index, &out, &whole);
    if (plan->locations[index].external) {
        emit_store_rows(&mean, index, &out, &whole);
    }
}
