/* Who of a chain leaves VECTOR the time to prepare the others. */
#include "base/integer.h"
#include "compiler/emit/emitter.h"

struct hosting {
    const struct segment *segment;
    int first;
    int last;
    const struct chain_row *most; /* by layer, of any stripe */
    int64_t in_rows;              /* of the chain's input, likewise */
    struct chain_hosts hosts;
};

/* Vectors of the result of a layer in a stripe of `rows` rows. */
static int64_t vectors_in(const struct segment *segment, int layer, int64_t rows) {
    const struct shape *out = &segment->layers[layer].out;
    return rows * out->w * blocks_of(segment, out->c);
}

/* Cycles of a stripe for which VECTOR waits for MATRIX. */
static int64_t free_cycles(const struct hosting *chain, int index) {
    const struct segment *segment = chain->segment;
    const struct layer *layer = &segment->layers[index];
    const struct tiling *t = &segment->tilings[index];
    int64_t columns = layer->kind == LAYER_CONV
                          ? layer->out.w * t->input_blocks * t->row_steps * t->column_steps
                          : 0; /* that MATRIX reads for a row */
    for (int i = 0; i < t->part_count; i++) {
        const struct window_part *part = &t->parts[i];
        columns += part->row_groups * part->column_groups *
                   ((layer->out.w - 1) * layer->stride[1] + part->columns);
    }
    return chain->most[index].end * blocks_of(segment, layer->out.c) * (columns - layer->out.w);
}

/* Rows that two neighbouring windows of the layer after one have in common. */
static int64_t rows_kept(const struct segment *segment, int layer) {
    const struct layer *next = &segment->layers[next_in_chain(segment, layer)];
    return weft_max((next->kernel[0] - 1) * next->dilation[0] + 1 - next->stride[0], 0);
}

/* The layer with the most time left: `layer` itself, or another one but for that after it, which
 * uses what is to be prepared. */
static int find_host(const struct hosting *chain, const int64_t *time, int layer) {
    const struct segment *segment = chain->segment;
    int best = layer;
    for (int i = chain->first; i >= 0; i = next_in_chain(segment, i)) {
        best = i != next_in_chain(segment, layer) && time[i] > time[best] ? i : best;
    }
    return best;
}

/* The layer of a chain with the most cycles, or -1 when none has any. */
static int largest_of(const struct segment *segment, int first, const int64_t *cycles) {
    int largest = -1;
    for (int i = first; i >= 0; i = next_in_chain(segment, i)) {
        bool is_larger = cycles[i] > (largest < 0 ? 0 : cycles[largest]);
        largest = is_larger ? i : largest;
    }
    return largest;
}

/* Cycles of the look-up in a stripe of the chain's input. */
static int64_t table_cycles(const struct hosting *chain) {
    const struct segment *segment = chain->segment;
    const struct tensor *tensor = &segment->tensors[segment->tensors_of[chain->first][0]];
    bool is_looked_up = is_from_memory(tensor) && tensor->table != NULL && !tensor->resident;
    int64_t planes = tensor->packed ? 1 : blocks_of(segment, tensor->shape.c);
    int64_t bytes = chain->in_rows * planes * view_pitch(segment, tensor);
    return is_looked_up ? 2 * bytes / (int64_t)segment->config->block : 0;
}

static void choose_hosts(struct hosting *chain) {
    const struct segment *segment = chain->segment;
    size_t layers = (size_t)segment->layer_count;
    int64_t *time = WEFT_NEW_ARRAY(segment->arena, layers, int64_t);
    int64_t *cycles = WEFT_NEW_ARRAY(segment->arena, layers, int64_t);
    for (int i = chain->first; i >= 0; i = next_in_chain(segment, i)) {
        cycles[i] = i == chain->last ? 0 : 2 * vectors_in(segment, i, rows_kept(segment, i));
        time[i] = free_cycles(chain, i) - cycles[i];
        chain->hosts.of[i] = i;
    }
    chain->hosts.of_input = chain->first;
    for (int i = chain->first; i >= 0; i = next_in_chain(segment, i)) {
        chain->hosts.of_input = time[i] > time[chain->hosts.of_input] ? i : chain->hosts.of_input;
    }
    time[chain->hosts.of_input] -= table_cycles(chain);
    /* Those that need the most time first. */
    for (int most = largest_of(segment, chain->first, cycles); most >= 0;
         most = largest_of(segment, chain->first, cycles)) {
        time[most] += cycles[most];
        chain->hosts.of[most] = find_host(chain, time, most);
        time[chain->hosts.of[most]] -= cycles[most];
        cycles[most] = 0;
    }
}

struct chain_hosts find_hosts(const struct segment *segment, int first,
                              const struct chain_row *most, int64_t in_rows) {
    struct hosting chain = {.segment = segment,
                            .first = first,
                            .last = segment->chain_last[first],
                            .most = most,
                            .in_rows = in_rows};
    chain.hosts.of = WEFT_NEW_ARRAY(segment->arena, (size_t)segment->layer_count, int);
    choose_hosts(&chain);
    return chain.hosts;
}
