/* Passes and targets of one's own: what a plugin brings, a shared library built outside of this
 * tree, or a function of the program that compiles.
 *
 *     static bool open(struct weft_arena *arena, struct weft_plugin *plugin,
 *                      struct weft_error *error) {
 *         static const struct weft_user_pass pass = {
 *             .name = "drop-clips", .after = "merge-clips", .run = drop_clips};
 *         *plugin = (struct weft_plugin){.name = "mine", .pass_count = 1, .passes = &pass};
 *         return true;
 *     }
 *     WEFT_PLUGIN(open)
 *
 * A library is built against these headers (pkg-config weft_plugin) and linked with nothing: what
 * it calls is found in the program that loads it, `weft` or one that was linked with libweft.a and
 * -Wl,--export-dynamic-symbol='weft_*'. `weft compile --plugin FILE.so` loads it, driver/plugins.h
 * in C; docs/extend.md has two whole ones. A plugin is code, and trusted as such; what it returns
 * by mistake is refused with one line that names it.
 *
 * Ownership: everything that a pass or a target makes is in the arena that it is given or in the
 * graph's (weft_graph.arena), or lies in the plugin, which outlives every module. Out of memory,
 * functions of an arena do not return (base/arena.h): a pass holds nothing else while it calls
 * them.
 */
#ifndef WEFT_COMPILER_PLUGIN_H
#define WEFT_COMPILER_PLUGIN_H

#include "base/hash.h"
#include "compiler/partition/target.h"
#include "compiler/pattern/rewrite.h"

enum {
    /* Changes whenever a function that plugins call, or that is theirs, means something else. */
    WEFT_PLUGIN_VERSION = 1,
};

/* A pass over the graph, between two of the passes in weft_pass_names (compiler/module.h). */
struct weft_user_pass {
    /* For weft compile --dump-after, weft passes and messages: small letters, digits and `-`, other
     * than "all" and the name of any other pass. */
    const char *name;
    /* It comes right behind the first one, or, when that is NULL, right before the second one; when
     * both are given, the second one must come later. Passes of one place run in the order in which
     * they were registered. The last place is the one before "merge-composites": what follows
     * divides the graph between targets. */
    const char *after;
    const char *before;
    /* Does it leave every tensor of the model where it is? Others do not run with --keep-tensors.
     */
    bool keeps_tensors;
    /* Makes a graph of a graph, which it must not change; *made may be the same one. It is in the
     * same arena; has the inputs and outputs of `graph`, in number, order and type; has no
     * composites, regions and opaque nodes and no attributes `target` and `region`; and is well
     * formed and well typed (weft_graph_verify()): each of that is checked when it returns, and the
     * compilation refused with WEFT_PLUGIN otherwise. That results stay the same is for the pass to
     * see to. False: the compilation fails with the error, whose code is the pass's choice. */
    bool (*run)(void *context, const struct weft_graph *graph, struct weft_graph **made,
                struct weft_error *error);
    void *context;
    const char *plugin; /* who brought it, for messages: filled when a plugin is registered */
};

/* What a plugin brings. */
struct weft_plugin {
    const char *name; /* for messages: 1 to 64 letters, digits, `.`, `_` and `-` */
    size_t pass_count;
    const struct weft_user_pass *passes;
    size_t target_count;
    const struct weft_external_target *targets;
};

/* What the library's function `weft_plugin` returns; the first two stay where they are in every
 * version. */
struct weft_plugin_entry {
    uint32_t version;     /* WEFT_PLUGIN_VERSION of the headers that it was compiled with */
    uint64_t fingerprint; /* weft_plugin_fingerprint() of these headers */
    /* Fills *plugin, which is zeroed. `arena` lives as long as the plugin is loaded: for pattern
     * tables. What *plugin points to must live as long, too. */
    bool (*open)(struct weft_arena *arena, struct weft_plugin *plugin, struct weft_error *error);
};
typedef struct weft_plugin_entry weft_plugin_function(void);
#define WEFT_PLUGIN_SYMBOL "weft_plugin"

/* Defines the library's function. NOLINTNEXTLINE(readability-identifier-naming) */
#define WEFT_PLUGIN(open_function)                                                                 \
    struct weft_plugin_entry weft_plugin(void);                                                    \
    struct weft_plugin_entry weft_plugin(void) {                                                   \
        return (struct weft_plugin_entry){WEFT_PLUGIN_VERSION, weft_plugin_fingerprint(),          \
                                          open_function};                                          \
    }

/* A hash of what these headers say of operators, attributes, types of elements and structures: a
 * library that was compiled with others would read memory wrongly. */
static inline uint64_t weft_plugin_fingerprint(void) {
    static const struct {
        const char *name;
        uint64_t number;
    } facts[] = {
#define WEFT_OP(name, text, least, most, results, attributes, infer, doc)                          \
    {text " " attributes, (uint64_t)(least) << 40 | (uint64_t)(most) << 20 | (results)},
#include "compiler/ir/operators.def"
#undef WEFT_OP
#define WEFT_ATTRIBUTE(name, kind, doc) {#name, WEFT_ATTRIBUTE_##kind},
#include "compiler/ir/attributes.def"
#undef WEFT_ATTRIBUTE
#define WEFT_ERROR(name, text) {#name, WEFT_##name},
#include "base/error_codes.def"
#undef WEFT_ERROR
        {"dtypes", WEFT_DTYPES},
        {"arena", sizeof(struct weft_arena)},
        {"arena.on_failure", offsetof(struct weft_arena, on_failure)},
        {"error", sizeof(struct weft_error)},
        {"text", sizeof(struct weft_text)},
        {"quantization", sizeof(struct weft_quantization)},
        {"quantization.zero", offsetof(struct weft_quantization, zero)},
        {"type", sizeof(struct weft_type)},
        {"type.quantization", offsetof(struct weft_type, quantization)},
        {"attribute", sizeof(struct weft_attribute)},
        {"attribute.data", offsetof(struct weft_attribute, data)},
        {"value", sizeof(struct weft_value)},
        {"value.name", offsetof(struct weft_value, name)},
        {"node", sizeof(struct weft_node)},
        {"node.body", offsetof(struct weft_node, body)},
        {"graph", sizeof(struct weft_graph)},
        {"graph.nodes", offsetof(struct weft_graph, nodes)},
        {"match", sizeof(struct weft_match)},
        {"match.bindings", offsetof(struct weft_match, bindings)},
        {"site", sizeof(struct weft_site)},
        {"rule", sizeof(struct weft_rule)},
        {"pattern entry", sizeof(struct weft_pattern_entry)},
        {"pattern table", sizeof(struct weft_pattern_table)},
        {"external target", sizeof(struct weft_external_target)},
        {"user pass", sizeof(struct weft_user_pass)},
        {"plugin", sizeof(struct weft_plugin)},
    };
    uint64_t hash = WEFT_HASH_START;
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        for (const char *at = facts[i].name; *at != '\0'; at++) {
            hash = weft_hash_bytes(hash, at, 1);
        }
        hash = weft_hash_u64(hash, facts[i].number);
    }
    return hash;
}

#endif
