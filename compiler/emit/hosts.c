/* Who of a chain leaves VECTOR the time to prepare the others. */
#include "base/integer.h"
#include "compiler/emit/work.h"

struct hosting {
    const struct plan *plan;
    int first;
    int last;
    const struct chain_row *most; /* by layer, of any stripe */
    int64_t in_rows;              /* of the chain's input, likewise */
    struct chain_hosts hosts;
};

/* Vectors of the result of a layer in a stripe of `rows` rows. */
static int64_t vectors_in(const struct plan *plan, int layer, int64_t rows) {
    const struct shape *out = &plan->layers[layer]->out;
    return rows * out->w * blocks_of(plan->config, out->c);
}

/* Rows that two neighbouring windows of the layer after one have in common. */
static int64_t rows_kept(const struct plan *plan, int layer) {
    const struct layer *next = plan->layers[next_in_chain(plan, layer)];
    if (!operations_of(next)->has_window) {
        return 0;
    }
    return weft_max((next->kernel[0] - 1) * next->dilation[0] + 1 - next->stride[0], 0);
}

/* The layer with the most time left: `layer` itself, or another one but for that after it, which
 * uses what is to be prepared. */
static int find_host(const struct hosting *chain, const int64_t *time, int layer) {
    const struct plan *plan = chain->plan;
    int best = layer;
    for (int i = chain->first; i >= 0; i = next_in_chain(plan, i)) {
        best = i != next_in_chain(plan, layer) && time[i - chain->first] > time[best - chain->first]
                   ? i
                   : best;
    }
    return best;
}

/* The layer of a chain with the most cycles, or -1 when none has any. */
static int largest_of(const struct plan *plan, int first, const int64_t *cycles) {
    int largest = -1;
    for (int i = first; i >= 0; i = next_in_chain(plan, i)) {
        bool is_larger = cycles[i - first] > (largest < 0 ? 0 : cycles[largest - first]);
        largest = is_larger ? i : largest;
    }
    return largest;
}

/* Cycles of the look-up in a stripe of the chain's input. */
static int64_t table_cycles(const struct hosting *chain) {
    const struct plan *plan = chain->plan;
    int index = plan->region->tensors_of[chain->first][0];
    const struct tensor *tensor = &plan->region->tensors[index];
    const struct keep *keep = keep_of(plan, index);
    bool is_looked_up = is_from_memory(tensor) && tensor->table != NULL && !keep->resident;
    int64_t planes = keep->packed ? 1 : blocks_of(plan->config, tensor->shape.c);
    int64_t bytes = chain->in_rows * planes * view_pitch(plan, index);
    return is_looked_up ? 2 * bytes / (int64_t)plan->config->block : 0;
}

static void choose_hosts(struct hosting *chain) {
    const struct plan *plan = chain->plan;
    size_t layers = (size_t)(chain->last - chain->first) + 1;
    int64_t *time = WEFT_NEW_ARRAY(plan->arena, layers, int64_t);
    int64_t *cycles = WEFT_NEW_ARRAY(plan->arena, layers, int64_t);
    const struct chain_ahead ahead = chain_ahead(plan, chain->first);
    for (int i = chain->first; i >= 0; i = next_in_chain(plan, i)) {
        bool keeps_rows = i != chain->last && i >= ahead.end;
        cycles[i - chain->first] = keeps_rows ? 2 * vectors_in(plan, i, rows_kept(plan, i)) : 0;
        time[i - chain->first] =
            free_cycles(plan, i, chain->most[i - chain->first].end) - cycles[i - chain->first];
        chain->hosts.of[i - chain->first] = i;
    }
    chain->hosts.of_input = chain->first;
    for (int i = chain->first; i >= 0; i = next_in_chain(plan, i)) {
        chain->hosts.of_input = time[i - chain->first] > time[chain->hosts.of_input - chain->first]
                                    ? i
                                    : chain->hosts.of_input;
    }
    time[chain->hosts.of_input - chain->first] -= table_cycles(chain);
    /* Those that need the most time first. */
    for (int most = largest_of(plan, chain->first, cycles); most >= 0;
         most = largest_of(plan, chain->first, cycles)) {
        int64_t *left = &cycles[most - chain->first];
        time[most - chain->first] += *left;
        int host = find_host(chain, time, most);
        chain->hosts.of[most - chain->first] = host;
        time[host - chain->first] -= *left;
        *left = 0;
    }
}

struct chain_hosts find_hosts(const struct plan *plan, int first, const struct chain_row *most,
                              int64_t in_rows) {
    struct hosting chain = {.plan = plan,
                            .first = first,
                            .last = plan->chain_last[first],
                            .most = most,
                            .in_rows = in_rows};
    chain.hosts.of = WEFT_NEW_ARRAY(plan->arena, (size_t)(chain.last - first) + 1, int);
    choose_hosts(&chain);
    return chain.hosts;
}
