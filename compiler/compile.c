/* The compiler from model to module: the list of its passes. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/limit.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/team.h"
#include "compiler/externals.h"
#include "compiler/import/frames.h"
#include "compiler/import/import_model.h"
#include "compiler/module.h"
#include "compiler/name_results.h"
#include "compiler/partition/partition.h"
#include "compiler/passes/passes.h"
#include "compiler/schedule/schedule.h"
#include "compiler/schedule/target.h"
#include "compiler/source.h"
#include "compiler/user_passes.h"

enum pass {
    PASS_IMPORT,
    PASS_MOVE_QUANTIZE,
    PASS_FUSE_QUANTIZE,
    PASS_KEEP_TENSORS,
    PASS_SLICE_GATHERS,
    PASS_FEWER_AXES,
    PASS_SINK_TRANSPOSES,
    PASS_MERGE_MOVES,
    PASS_POOL_MAXIMA,
    PASS_FOLD_CONSTANTS,
    PASS_SIMPLIFY_MOVES,
    PASS_DROP_IDENTITIES,
    PASS_LOWER_ACTIVATIONS,
    PASS_MAKE_DENSE,
    PASS_RECOGNISE_FUNCTIONS,
    PASS_FOLD_SCALES,
    PASS_NARROW_REQUANTIZE,
    PASS_MERGE_REQUANTIZE,
    PASS_MERGE_CLIPS,
    PASS_FOLD_PAD,
    PASS_DIVIDE_PHASES,
    PASS_CUT_TAPS,
    PASS_SHUFFLE_CHANNELS,
    PASS_MAKE_TABLES,
    PASS_SCALE_CHANNELS,
    PASS_FIND_MULTIPLIERS,
    PASS_CUT_CHANNELS,
    PASS_MERGE_COMMON,
    PASS_REMOVE_UNUSED,
    PASS_MERGE_COMPOSITES,
    PASS_ANNOTATE_TARGETS,
    PASS_MERGE_REGIONS,
    PASS_PARTITION,
    PASS_RELEASE_REGIONS,
    PASSES,
};

const char *const weft_pass_names[PASSES + 1] = {
    [PASS_IMPORT] = "import",
    [PASS_MOVE_QUANTIZE] = "move-quantize",
    [PASS_FUSE_QUANTIZE] = "fuse-quantize",
    [PASS_KEEP_TENSORS] = "keep-tensors",
    [PASS_SLICE_GATHERS] = "slice-gathers",
    [PASS_FEWER_AXES] = "fewer-axes",
    [PASS_SINK_TRANSPOSES] = "sink-transposes",
    [PASS_MERGE_MOVES] = "merge-moves",
    [PASS_POOL_MAXIMA] = "pool-maxima",
    [PASS_FOLD_CONSTANTS] = "fold-constants",
    [PASS_SIMPLIFY_MOVES] = "simplify-moves",
    [PASS_DROP_IDENTITIES] = "drop-identities",
    [PASS_LOWER_ACTIVATIONS] = "lower-activations",
    [PASS_MAKE_DENSE] = "make-dense",
    [PASS_RECOGNISE_FUNCTIONS] = "recognise-functions",
    [PASS_FOLD_SCALES] = "fold-scales",
    [PASS_NARROW_REQUANTIZE] = "narrow-requantize",
    [PASS_MERGE_REQUANTIZE] = "merge-requantize",
    [PASS_MERGE_CLIPS] = "merge-clips",
    [PASS_FOLD_PAD] = "fold-pad",
    [PASS_DIVIDE_PHASES] = "divide-phases",
    [PASS_CUT_TAPS] = "cut-taps",
    [PASS_SHUFFLE_CHANNELS] = "shuffle-channels",
    [PASS_MAKE_TABLES] = "make-tables",
    [PASS_SCALE_CHANNELS] = "scale-channels",
    [PASS_FIND_MULTIPLIERS] = "find-multipliers",
    [PASS_CUT_CHANNELS] = "cut-channels",
    [PASS_MERGE_COMMON] = "merge-common",
    [PASS_REMOVE_UNUSED] = "remove-unused",
    [PASS_MERGE_COMPOSITES] = "merge-composites",
    [PASS_ANNOTATE_TARGETS] = "annotate-targets",
    [PASS_MERGE_REGIONS] = "merge-regions",
    [PASS_PARTITION] = "partition",
    [PASS_RELEASE_REGIONS] = "release-regions",
};

/* The passes that normalise, in order. */
static const struct {
    enum pass pass;
    bool keeps_tensors; /* every tensor of the model stays */
    bool rounds;        /* floats may differ from the model's in the last places */
    struct weft_graph *(*run)(const struct weft_graph *graph);
} normalising[] = {
    {PASS_SLICE_GATHERS, false, false, weft_pass_slice_gathers},
    {PASS_FEWER_AXES, false, false, weft_pass_fewer_axes},
    {PASS_SINK_TRANSPOSES, false, false, weft_pass_sink_transposes},
    {PASS_MERGE_MOVES, false, false, weft_pass_merge_moves},
    {PASS_POOL_MAXIMA, false, false, weft_pass_pool_maxima},
    {PASS_FOLD_CONSTANTS, true, false, weft_pass_fold_constants},
    {PASS_SIMPLIFY_MOVES, false, false, weft_pass_simplify_moves},
    {PASS_DROP_IDENTITIES, false, false, weft_pass_drop_identities},
    {PASS_LOWER_ACTIVATIONS, false, false, weft_pass_lower_activations},
    {PASS_MAKE_DENSE, false, true, weft_pass_make_dense},
    {PASS_RECOGNISE_FUNCTIONS, false, true, weft_pass_recognise_functions},
    {PASS_FOLD_SCALES, false, true, weft_pass_fold_scales},
    {PASS_NARROW_REQUANTIZE, false, false, weft_pass_narrow_requantize},
    {PASS_MERGE_REQUANTIZE, false, false, weft_pass_merge_requantize},
    {PASS_MERGE_CLIPS, false, false, weft_pass_merge_clips},
    {PASS_FOLD_PAD, false, false, weft_pass_fold_pad},
    {PASS_DIVIDE_PHASES, false, false, weft_pass_divide_phases},
    {PASS_CUT_TAPS, false, false, weft_pass_cut_taps},
    {PASS_SHUFFLE_CHANNELS, false, false, weft_pass_shuffle_channels},
    {PASS_MAKE_TABLES, false, false, weft_pass_make_tables},
    {PASS_SCALE_CHANNELS, false, false, weft_pass_scale_channels},
    {PASS_FIND_MULTIPLIERS, true, false, weft_pass_find_multipliers},
    {PASS_CUT_CHANNELS, false, false, weft_pass_cut_channels},
    {PASS_MERGE_COMMON, false, false, weft_pass_merge_common},
    {PASS_REMOVE_UNUSED, true, false, weft_pass_remove_unused},
};

struct compilation {
    struct weft_module *module;
    struct saved_file use; /* decisions that are taken, if the options have some */
    const struct weft_compile_options *options;
    bool may_round; /* floats may differ from the model's in the last places */
    struct weft_graph *graph;
    struct weft_team *team; /* that tries schedules */
    struct weft_error *error;
    size_t table_count;
    const struct weft_pattern_table *tables;
    struct weft_compile_progress progress;
    size_t *behind; /* which pass each of the options' own comes right behind */
};

static void tell(const struct compilation *c) {
    if (c->options->progress != NULL) {
        c->options->progress(c->options->progress_context, &c->progress);
    }
}

/* Something was tried for the region. */
static void tell_tried(void *context, size_t tried) {
    struct compilation *c = context;
    c->progress.tried = tried;
    tell(c);
}

/* Every pass ends here: whoever asked for its graph sees it. */
static bool show(struct compilation *c, const char *pass) {
    c->progress = (struct weft_compile_progress){.pass = pass};
    tell(c);
    weft_graph_name(c->graph); /* always, so that names do not depend on who looks at them */
    return c->options->after_pass == NULL ||
           c->options->after_pass(c->options->context, pass, c->graph, c->error);
}

/* What a pass of the list made must be well formed. */
static bool after(struct compilation *c, enum pass pass, struct weft_graph *graph) {
    c->graph = graph;
    if (graph == NULL) {
        return weft_fail(c->error, WEFT_INTERNAL, 0, "pass %s made no graph",
                         weft_pass_names[pass]);
    }
    if (!weft_graph_verify(graph, c->error)) {
        c->error->code = WEFT_INTERNAL;
        return weft_fail_context(c->error, "after pass %s", weft_pass_names[pass]);
    }
    return show(c, weft_pass_names[pass]);
}

/* The passes of one's own that come right behind one of the list, which may have been left out. */
static bool run_user_passes(struct compilation *c, enum pass behind) {
    const struct weft_user_pass *passes = c->options->passes;
    for (size_t i = 0; i < c->options->pass_count; i++) {
        if (c->behind[i] == (size_t)behind &&
            (passes[i].keeps_tensors || !c->options->keep_tensors) &&
            !(user_pass_run(&passes[i], weft_pass_names[behind], c->graph, &c->graph, c->error) &&
              show(c, passes[i].name))) {
            return false;
        }
    }
    return true;
}

static bool normalise(struct compilation *c) {
    for (size_t i = 0; i < sizeof normalising / sizeof normalising[0]; i++) {
        bool stays = normalising[i].rounds && !c->may_round;
        if ((normalising[i].keeps_tensors || !c->options->keep_tensors) &&
            !after(c, normalising[i].pass, stays ? c->graph : normalising[i].run(c->graph))) {
            return false;
        }
        if (!run_user_passes(c, normalising[i].pass)) {
            return false;
        }
    }
    return true;
}

/* The tables of all targets: those from outside first, then the machine. */
static const struct weft_pattern_table *pattern_tables(struct compilation *c) {
    struct weft_arena *arena = &c->module->arena;
    size_t count = c->options->target_count;
    struct weft_pattern_table *tables = WEFT_NEW_ARRAY(arena, count + 1, struct weft_pattern_table);
    for (size_t i = 0; i < count; i++) {
        tables[i] = *c->options->targets[i].patterns;
    }
    tables[count] = *weft_machine_patterns(arena, &c->module->config);
    return tables;
}

/* A reason on every operator, for compilations without any target. */
static void give_all_to_host(struct weft_graph *graph) {
    for (size_t i = 0; i < graph->node_count; i++) {
        if (graph->nodes[i]->op != WEFT_OP_CONSTANT) {
            weft_node_add_attribute(
                graph->arena, graph->nodes[i],
                weft_attr_text(WEFT_ATTR_reason, "the host was asked to do everything"));
        }
    }
}

static bool release_regions(struct compilation *c) {
    struct weft_graph *released = NULL;
    return c->options->keep_regions ||
           (weft_release_regions(c->graph, c->table_count, c->tables, &released, c->error) &&
            after(c, PASS_RELEASE_REGIONS, released));
}

static bool make_regions(struct compilation *c) {
    return after(c, PASS_MERGE_REGIONS, weft_merge_regions(c->graph)) &&
           after(c, PASS_PARTITION, weft_partition(c->graph)) && release_regions(c);
}

static bool split_between_targets(struct compilation *c) {
    c->tables = pattern_tables(c);
    c->table_count = c->options->host_only ? 0 : c->options->target_count + 1;
    if (c->options->host_only) {
        give_all_to_host(c->graph);
    }
    struct weft_graph *merged = c->graph;
    for (size_t i = 0; i < c->table_count; i++) {
        merged = weft_merge_composites(merged, &c->tables[i]);
    }
    return after(c, PASS_MERGE_COMPOSITES, merged) &&
           after(c, PASS_ANNOTATE_TARGETS,
                 weft_annotate_targets(c->graph, c->table_count, c->tables)) &&
           make_regions(c);
}

/* All passes over the graph, in order. */
static bool run_passes(struct compilation *c, struct weft_graph *imported) {
    return after(c, PASS_IMPORT, imported) && run_user_passes(c, PASS_IMPORT) &&
           after(c, PASS_MOVE_QUANTIZE, weft_pass_move_quantize(c->graph)) &&
           run_user_passes(c, PASS_MOVE_QUANTIZE) &&
           after(c, PASS_FUSE_QUANTIZE, weft_pass_fuse_quantize(c->graph)) &&
           run_user_passes(c, PASS_FUSE_QUANTIZE) &&
           (!c->options->keep_tensors ||
            after(c, PASS_KEEP_TENSORS, weft_pass_keep_tensors(c->graph))) &&
           run_user_passes(c, PASS_KEEP_TENSORS) && normalise(c) && split_between_targets(c);
}

/* ---- programs ---- */

static bool compile_region(struct compilation *c, const struct weft_node *node) {
    struct weft_module *module = c->module;
    uint32_t index = module->segment_count++;
    struct weft_segment *segment = &module->segments[index];
    struct search_log log = {.arena = &module->notes, .tell = tell_tried, .context = c};
    const struct saved_schedule *use = NULL;
    const struct schedule_terms terms = {.frames = module->one_by_one ? module->frames : 1,
                                         .effort = c->options->effort == 0 ? 1 : c->options->effort,
                                         .team = c->team};
    c->progress.region = index;
    tell_tried(c, 0);
    if (c->options->decisions != NULL) {
        if (index == c->use.schedule_count) {
            return weft_fail(c->error, WEFT_DECISIONS, index,
                             "the decisions have %zu regions, the model more", (size_t)index);
        }
        use = &c->use.schedules[index];
    }
    if (!weft_schedule_region(&module->arena, &module->config, node->body, &terms, use, &log,
                              segment, c->error)) {
        return c->error->code == WEFT_DECISIONS
                   ? weft_fail_context(c->error, "region %" PRIu32, index)
                   : false;
    }
    segment->elements = weft_graph_elements(node->body);
    return true;
}

static bool read_decisions(struct compilation *c) {
    const struct weft_compile_options *options = c->options;
    return options->decisions == NULL || saved_parse(&c->module->arena, options->decisions,
                                                     options->decisions_length, &c->use, c->error);
}

static uint32_t count_regions(const struct weft_graph *graph) {
    uint32_t count = 0;
    for (size_t i = 0; i < graph->node_count; i++) {
        count += weft_is_machine_region(graph->nodes[i]);
    }
    return count;
}

/* Compiles region after region; *node: the last one that was begun. */
static bool compile_regions(struct compilation *c, const struct weft_node **node) {
    struct weft_module *module = c->module;
    module->graph = c->graph;
    weft_graph_name(c->graph);
    module->segment_count = module->external_count = 0;
    module->segments = WEFT_NEW_ARRAY(&module->arena, c->graph->node_count, struct weft_segment);
    module->externals = WEFT_NEW_ARRAY(&module->arena, c->graph->node_count, struct weft_external);
    c->progress = (struct weft_compile_progress){.regions = count_regions(c->graph)};
    for (size_t i = 0; i < c->graph->node_count; i++) {
        bool good = true;
        *node = c->graph->nodes[i];
        if (weft_is_machine_region(*node)) {
            good = compile_region(c, *node);
        } else if ((*node)->op == WEFT_OP_REGION) {
            good = externals_compile(&module->arena, c->options->target_count, c->options->targets,
                                     *node, &module->externals[module->external_count++], c->error);
        }
        if (!good) {
            return false;
        }
    }
    return c->options->decisions == NULL || c->use.schedule_count == module->segment_count ||
           weft_fail(c->error, WEFT_DECISIONS, module->segment_count,
                     "the decisions have %zu regions, the model %" PRIu32, c->use.schedule_count,
                     module->segment_count);
}

/* Operators that find no room in their region become the host's, one after the other: no network is
 * too large. */
static bool compile_what_fits(struct compilation *c) {
    const struct weft_node *node = NULL;
    while (!compile_regions(c, &node)) {
        if (node == NULL || c->error->code != WEFT_CAPACITY || !weft_is_machine_region(node)) {
            return false;
        }
        const char *message = c->error->message;
        const struct weft_refusal refusal = {
            .region = node,
            .is_whole = c->error->position >= node->body->node_count,
            .index = (size_t)c->error->position,
            .reason = weft_arena_string(&c->module->arena, message, strlen(message))};
        if (!after(c, PASS_ANNOTATE_TARGETS, weft_release_operators(c->graph, &refusal)) ||
            !make_regions(c)) {
            return false;
        }
    }
    return true;
}

/* ---- the way in ---- */

static bool place_passes(struct compilation *c) {
    const struct weft_compile_options *options = c->options;
    c->behind = WEFT_NEW_ARRAY(&c->module->arena, options->pass_count, size_t);
    return user_passes_place(options->pass_count, options->passes, weft_pass_names,
                             PASS_REMOVE_UNUSED, c->behind, c->error);
}

bool weft_place_passes(const struct weft_compile_options *options,
                       void (*place)(void *context, const struct weft_user_pass *pass,
                                     const char *behind),
                       void *context, struct weft_error *error) {
    size_t *behind = weft_allocate(options->pass_count, sizeof *behind, "places of passes", error);
    bool good =
        behind != NULL && user_passes_place(options->pass_count, options->passes, weft_pass_names,
                                            PASS_REMOVE_UNUSED, behind, error);
    for (size_t pass = 0; good && pass < PASSES; pass++) {
        for (size_t i = 0; i < options->pass_count; i++) {
            if (behind[i] == pass) {
                place(context, &options->passes[i], weft_pass_names[pass]);
            }
        }
    }
    free(behind);
    return good;
}

/* Without outputs there is nothing that a run could give. */
static bool check_outputs(const struct weft_graph *graph, struct weft_error *error) {
    return graph->output_count > 0 ||
           weft_fail(error, WEFT_GRAPH, 0, "the model has no outputs: there is nothing to compute");
}

static bool repeat_frames(const struct weft_module *module, struct weft_graph **graph,
                          struct weft_error *error) {
    if (module->frames > WEFT_MOST_FRAMES) {
        return weft_fail(error, WEFT_ARGUMENT, 0, "%" PRIu32 " frames, at most %d are possible",
                         module->frames, WEFT_MOST_FRAMES);
    }
    return module->frames == 1 || weft_repeat_frames(*graph, module->frames, graph, error);
}

static bool check_effort(uint32_t effort, struct weft_error *error) {
    return effort <= WEFT_MOST_EFFORT ||
           weft_fail(error, WEFT_ARGUMENT, 0, "effort %" PRIu32 ", at most %d is possible", effort,
                     WEFT_MOST_EFFORT);
}

static bool compile_with(struct weft_team *team, struct source *source,
                         const struct weft_config *config,
                         const struct weft_compile_options *options, struct weft_module **module,
                         struct weft_error *error) {
    struct weft_graph *graph = NULL;
    struct weft_module *made = weft_allocate(1, sizeof *made, "a module", error);
    if (made == NULL) {
        return false;
    }
    if (setjmp(made->arena.on_failure) != 0) {
        weft_arena_failed(&made->arena, error);
        weft_module_free(made);
        return false;
    }
    made->config = *config;
    made->frames = options->frames == 0 ? 1 : options->frames;
    made->one_by_one = options->one_by_one;
    made->arena.limit = (size_t)weft_memory_limit(options->bytes);
    const char *name = options->model_name == NULL ? "model" : options->model_name;
    made->model_name = weft_arena_string(&made->arena, name, strlen(name));
    struct compilation compilation = {.module = made,
                                      .options = options,
                                      .may_round = source->graph == NULL &&
                                                   weft_is_onnx(source->bytes, source->length),
                                      .team = team,
                                      .error = error};
    if (!externals_check(options->target_count, options->targets, error) ||
        !check_effort(options->effort, error) || !place_passes(&compilation) ||
        !read_decisions(&compilation) ||
        !source_read(&made->arena, source, options, &graph, error) ||
        !check_outputs(graph, error) || !repeat_frames(made, &graph, error) ||
        !run_passes(&compilation, graph) || !compile_what_fits(&compilation)) {
        weft_module_free(made);
        return false;
    }
    name_results(made, source);
    made->fingerprint = source->fingerprint;
    *module = made;
    return true;
}

static bool compile(struct source *source, const struct weft_config *config,
                    const struct weft_compile_options *options, struct weft_module **module,
                    struct weft_error *error) {
    struct weft_team *team = options->decisions == NULL ? weft_team_open(weft_cores()) : NULL;
    bool good = compile_with(team, source, config, options, module, error);
    weft_team_close(team);
    return good;
}

const char *weft_compile_ignores(const struct weft_compile_options *options, bool has_effort) {
    if (has_effort && options->decisions != NULL) {
        return "effort is for a search, and decisions take its place";
    }
    if (options->host_only && has_effort) {
        return "effort is for programs of the machine, of which host_only makes none";
    }
    if (options->host_only && options->one_by_one) {
        return "one_by_one is for programs of the machine, of which host_only makes none";
    }
    return options->one_by_one && options->frames < 2 ? "one_by_one needs frames, 2 or more" : NULL;
}

bool weft_compile(const uint8_t *bytes, size_t length, const struct weft_config *config,
                  const struct weft_compile_options *options, struct weft_module **module,
                  struct weft_error *error) {
    struct source source = {.bytes = bytes, .length = length};
    return compile(&source, config, options, module, error);
}

bool weft_compile_graph(const struct weft_graph *graph, const struct weft_config *config,
                        const struct weft_compile_options *options, struct weft_module **module,
                        struct weft_error *error) {
    struct source source = {.graph = graph};
    return compile(&source, config, options, module, error);
}
