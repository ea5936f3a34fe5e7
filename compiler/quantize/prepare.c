/* A float graph in the form that is quantised. */
#include "compiler/passes/passes.h"
#include "compiler/quantize/steps.h"

struct weft_graph *quantize_prepare(const struct weft_graph *graph) {
    /* What one pass leaves is what the next one works on. Functions are known before transposes go
     * through them, and once more; what batch normalisation was in the way of needs a second
     * round. */
    static struct weft_graph *(*const passes[])(const struct weft_graph *graph) = {
        weft_pass_drop_pairs,      weft_pass_expand_hybrids,      weft_pass_expand_resize,
        weft_pass_slice_gathers,   weft_pass_merge_common,        weft_pass_drop_zeros,
        weft_pass_drop_guards,     weft_pass_recognise_functions, weft_pass_merge_moves,
        weft_pass_sink_past_norms, weft_pass_fewer_axes,          weft_pass_fold_constants,
        weft_pass_simplify_moves,  weft_pass_drop_zeros,          weft_pass_make_dense,
        weft_pass_simplify_moves,  weft_pass_split_dense,         weft_pass_recognise_functions,
        weft_pass_fold_scales,     weft_pass_merge_common,        weft_pass_expand_functions,
        weft_pass_make_depthwise,  weft_pass_fold_scales,         weft_pass_merge_moves,
        weft_pass_sink_past_norms, weft_pass_fewer_axes,          weft_pass_fold_constants,
        weft_pass_simplify_moves,  weft_pass_merge_common,        weft_pass_remove_unused,
    };
    struct weft_graph *prepared = NULL;
    for (size_t i = 0; i < sizeof passes / sizeof passes[0]; i++) {
        prepared = passes[i](prepared == NULL ? graph : prepared);
    }
    return prepared;
}
