/* compiler/plugin.h, driver/plugins.h: plugins are loaded or refused, passes of one's own stand
 * where they should, and what they leave is checked. */
#include "tests/unit/graphs.h"
#include "tests/unit/modules.h"

#include <stdio.h>
#include <string.h>

#include "driver/plugins.h"

#define X "4xi8{0.5, 0}"

static const char text[] = "graph main(%x: " X ", %z: " X ") {\n"
                           "  %a = clip(%x) min=-5 max=5 : " X "\n"
                           "  %b = qnn.add(%a, %z) : " X "\n"
                           "  %y = qnn.tanh(%b) : 4xi8{0.0078125, 0}\n"
                           "  return %y\n"
                           "}\n";

/* ---- a plugin of this program, which each test fills ---- */

typedef bool pass_run(void *context, const struct weft_graph *graph, struct weft_graph **made,
                      struct weft_error *error);

static struct weft_plugin filled;

static bool open_filled(struct weft_arena *arena, struct weft_plugin *plugin,
                        struct weft_error *error) {
    (void)arena;
    (void)error;
    *plugin = filled;
    return true;
}

static struct weft_plugin_entry filled_plugin(void) {
    return (struct weft_plugin_entry){WEFT_PLUGIN_VERSION, weft_plugin_fingerprint(), open_filled};
}

/* The names of the passes that ran, one after another. */
static char seen[1024];

static bool note_pass(void *context, const char *pass, const struct weft_graph *graph,
                      struct weft_error *error) {
    size_t used = strlen(seen);
    (void)context;
    (void)graph;
    (void)error;
    (void)snprintf(seen + used, sizeof seen - used, "%s ", pass);
    return true;
}

/* Compiles for the host with the plugins. */
static bool compile(struct weft_arena *arena, struct weft_plugins *plugins, bool keep_tensors,
                    struct weft_error *error) {
    const struct weft_config config = config_named("ref16");
    struct weft_compile_options options = {
        .host_only = true, .keep_tensors = keep_tensors, .after_pass = note_pass};
    struct weft_module *module = NULL;
    seen[0] = '\0';
    weft_plugins_use(plugins, &options);
    bool good = weft_compile_graph(graph_of(arena, text), &config, &options, &module, error);
    weft_module_free(good ? module : NULL);
    return good;
}

/* Compiles with these passes of a plugin "mine". */
static bool compile_with(struct weft_arena *arena, size_t count,
                         const struct weft_user_pass *passes, bool keep_tensors,
                         struct weft_error *error) {
    struct weft_plugins *plugins = NULL;
    filled = (struct weft_plugin){.name = "mine", .pass_count = count, .passes = passes};
    bool good = weft_plugins_add(&plugins, filled_plugin, error) &&
                compile(arena, plugins, keep_tensors, error);
    weft_plugins_free(plugins);
    return good;
}

static void assert_refused(struct weft_arena *arena, const struct weft_user_pass *pass,
                           const char *message) {
    struct weft_error error;
    ASSERT_FAILS(compile_with(arena, 1, pass, false, &error), error, WEFT_PLUGIN);
    if (strstr(error.message, message) == NULL) {
        print_error("'%s' came, expected '%s' in it\n", error.message, message);
        fail();
    }
    assert_non_null(strstr(error.message, "plugin mine: "));
}

/* ---- loading ---- */

static void assert_not_loaded(const char *path, const char *message) {
    struct weft_error error;
    struct weft_plugins *plugins = NULL;
    ASSERT_FAILS(weft_plugins_load(&plugins, path, &error), error, WEFT_PLUGIN);
    if (strstr(error.message, message) == NULL) {
        print_error("'%s' came, expected '%s' in it\n", error.message, message);
        fail();
    }
    weft_plugins_free(plugins);
}

static void a_library_is_loaded(void **state) {
    struct weft_error error;
    struct weft_plugins *plugins = NULL;
    ASSERT_GOOD(weft_plugins_load(&plugins, WEFT_PLUGIN_FOLDER "/plugin_good.so", &error), error);
    ASSERT_GOOD(compile(*state, plugins, false, &error), error);
    assert_non_null(strstr(seen, "import copy-graph move-quantize "));
    ASSERT_FAILS(weft_plugins_load(&plugins, WEFT_PLUGIN_FOLDER "/plugin_good.so", &error), error,
                 WEFT_PLUGIN);
    assert_non_null(strstr(error.message, "there is a plugin copier already"));
    ASSERT_GOOD(compile(*state, plugins, false, &error), error); /* what was there stays */
    weft_plugins_free(plugins);
}

static void other_files_are_not(void **state) {
    char path[4200];
    (void)state;
    assert_not_loaded("nosuch.so", "./nosuch.so is no library of a plugin: ");
    assert_not_loaded("libm.so.6",
                      "./libm.so.6 is no library of a plugin: "); /* not the system's */
    assert_not_loaded(WEFT_SOURCE_DIR "/README.md", "is no library of a plugin: ");
    assert_not_loaded(WEFT_SOURCE_DIR, "is no library of a plugin: ");
    assert_not_loaded(WEFT_PLUGIN_FOLDER "/weft_rtl_small8.so", "weft_plugin");
    assert_not_loaded(WEFT_PLUGIN_FOLDER "/plugin_version.so",
                      "has version 2 of the interface, expected 1: build again");
    assert_not_loaded(WEFT_PLUGIN_FOLDER "/plugin_headers.so",
                      "was compiled with other headers of Weft (fingerprint ");
    memset(path, 'a', sizeof path - 1);
    path[sizeof path - 1] = '\0';
    assert_not_loaded(path, "is too long");
}

static bool fail_to_open(struct weft_arena *arena, struct weft_plugin *plugin,
                         struct weft_error *error) {
    (void)arena;
    (void)plugin;
    return weft_fail(error, WEFT_STATE, 0, "no board\nis plugged in");
}

static bool fail_silently(struct weft_arena *arena, struct weft_plugin *plugin,
                          struct weft_error *error) {
    (void)arena;
    (void)plugin;
    error->code = (enum weft_error_code)4711;
    memset(error->message, 'x', sizeof error->message); /* no end */
    return false;
}

static bool say_nothing(struct weft_arena *arena, struct weft_plugin *plugin,
                        struct weft_error *error) {
    (void)arena;
    (void)plugin;
    (void)error;
    return false;
}

static bool take_all_memory(struct weft_arena *arena, struct weft_plugin *plugin,
                            struct weft_error *error) {
    (void)plugin;
    (void)error;
    return weft_arena_allocate(arena, SIZE_MAX, SIZE_MAX) == NULL;
}

static bool (*chosen_open)(struct weft_arena *, struct weft_plugin *, struct weft_error *);

static struct weft_plugin_entry chosen_plugin(void) {
    return (struct weft_plugin_entry){WEFT_PLUGIN_VERSION, weft_plugin_fingerprint(), chosen_open};
}

static void assert_not_opened(bool (*open)(struct weft_arena *, struct weft_plugin *,
                                           struct weft_error *),
                              enum weft_error_code code, const char *message) {
    struct weft_error error;
    struct weft_plugins *plugins = NULL;
    chosen_open = open;
    ASSERT_FAILS(weft_plugins_add(&plugins, chosen_plugin, &error), error, code);
    assert_non_null(strstr(error.message, message));
    assert_null(strchr(error.message, '\n'));
    weft_plugins_free(plugins);
}

static void a_plugin_that_does_not_open_is_refused(void **state) {
    (void)state;
    assert_not_opened(fail_to_open, WEFT_STATE, "no board?is plugged in");
    assert_not_opened(fail_silently, WEFT_PLUGIN, "xxxx");
    assert_not_opened(say_nothing, WEFT_PLUGIN, "it failed, and does not say why");
    assert_not_opened(take_all_memory, WEFT_OUT_OF_MEMORY, "memory");
    assert_not_opened(NULL, WEFT_PLUGIN, "no function to open it");
}

static void contents_must_be_there(void **state) {
    static const struct weft_plugin wrong[] = {
        {.name = NULL},
        {.name = ""},
        {.name = "has space"},
        {.name = "mine", .pass_count = 1},
        {.name = "mine", .target_count = 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct weft_error error;
        struct weft_plugins *plugins = NULL;
        filled = wrong[i];
        ASSERT_FAILS(weft_plugins_add(&plugins, filled_plugin, &error), error, WEFT_PLUGIN);
        weft_plugins_free(plugins);
    }
}

/* ---- places ---- */

static bool leave(void *context, const struct weft_graph *graph, struct weft_graph **made,
                  struct weft_error *error) {
    (void)context;
    (void)error;
    *made = (struct weft_graph *)(uintptr_t)graph;
    return true;
}

static void passes_stand_where_they_say(void **state) {
    struct weft_error error;
    const struct weft_user_pass passes[] = {
        {.name = "c", .before = "merge-composites", .run = leave},
        {.name = "a1", .after = "import", .run = leave},
        {.name = "b", .before = "fold-pad", .after = "merge-clips", .run = leave},
        {.name = "a2", .after = "import", .run = leave},
        {.name = "a3", .before = "keep-tensors", .run = leave},
        {.name = "d", .after = "remove-unused", .before = "release-regions", .run = leave},
    };
    ASSERT_GOOD(compile_with(*state, 6, passes, false, &error), error);
    assert_non_null(strstr(seen, "import a1 a2 move-quantize fuse-quantize a3 slice-gathers "));
    assert_non_null(strstr(seen, "merge-clips b fold-pad "));
    assert_non_null(strstr(seen, "remove-unused c d merge-composites "));
}

static void two_plugins_at_one_place_run_as_they_were_registered(void **state) {
    struct weft_error error;
    struct weft_plugins *plugins = NULL;
    const struct weft_user_pass first = {.name = "mine", .after = "import", .run = leave};
    filled = (struct weft_plugin){.name = "mine", .pass_count = 1, .passes = &first};
    ASSERT_GOOD(weft_plugins_add(&plugins, filled_plugin, &error), error);
    ASSERT_GOOD(weft_plugins_load(&plugins, WEFT_PLUGIN_FOLDER "/plugin_good.so", &error), error);
    ASSERT_GOOD(compile(*state, plugins, false, &error), error);
    assert_non_null(strstr(seen, "import mine copy-graph move-quantize "));
    weft_plugins_free(plugins);
    plugins = NULL;
    ASSERT_GOOD(weft_plugins_load(&plugins, WEFT_PLUGIN_FOLDER "/plugin_good.so", &error), error);
    ASSERT_GOOD(weft_plugins_add(&plugins, filled_plugin, &error), error);
    ASSERT_GOOD(compile(*state, plugins, false, &error), error);
    assert_non_null(strstr(seen, "import copy-graph mine move-quantize "));
    weft_plugins_free(plugins);
}

static void with_keep_tensors_only_those_run_that_keep_them(void **state) {
    struct weft_error error;
    const struct weft_user_pass passes[] = {
        {.name = "keeps", .after = "merge-clips", .keeps_tensors = true, .run = leave},
        {.name = "cuts", .after = "merge-clips", .run = leave},
    };
    ASSERT_GOOD(compile_with(*state, 2, passes, true, &error), error);
    assert_non_null(strstr(seen, "keeps "));
    assert_null(strstr(seen, "cuts"));
}

static void passes_without_a_place_are_refused(void **state) {
    static const struct {
        struct weft_user_pass pass;
        const char *message;
    } wrong[] = {
        {{.name = "p", .run = leave}, "must say which pass it comes after"},
        {{.name = "p", .before = "import", .run = leave}, "or before which one but import"},
        {{.name = "p", .after = "fold-constant", .run = leave},
         "there is no pass 'fold-constant' to stand beside"},
        {{.name = "p", .after = "import", .before = "nosuch", .run = leave},
         "there is no pass 'nosuch' to stand beside"},
        {{.name = "p", .after = "fold-pad", .before = "import", .run = leave},
         "is to come after fold-pad and before import, which is not later"},
        {{.name = "p", .after = "fold-pad", .before = "fold-pad", .run = leave}, "is not later"},
        {{.name = "p", .after = "merge-composites", .run = leave},
         "expected one before merge-composites"},
        {{.name = "p", .before = "partition", .run = leave},
         "expected one before merge-composites"},
        {{.name = "fold-pad", .after = "import", .run = leave}, "there is a pass fold-pad already"},
        {{.name = "all", .after = "import", .run = leave}, "there is a pass all already"},
        {{.name = "", .after = "import", .run = leave}, "expected a name"},
        {{.name = NULL, .after = "import", .run = leave}, "expected a name"},
        {{.name = "Has-Capitals", .after = "import", .run = leave}, "expected a name"},
        {{.name = "p", .after = "import", .run = NULL}, "and a function"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_refused(*state, &wrong[i].pass, wrong[i].message);
    }
    struct weft_error error;
    const struct weft_user_pass twins[] = {{.name = "p", .after = "import", .run = leave},
                                           {.name = "p", .after = "fold-pad", .run = leave}};
    ASSERT_FAILS(compile_with(*state, 2, twins, false, &error), error, WEFT_PLUGIN);
    assert_int_equal(error.position, 1);
    assert_non_null(strstr(error.message, "there is a pass p already"));
}

/* ---- what passes leave ---- */

/* A copy of the graph in its arena. */
static struct weft_graph *copy_of(const struct weft_graph *graph) {
    struct weft_copy copy = weft_copy_start(graph);
    for (size_t i = 0; i < graph->node_count; i++) {
        weft_copy_node(&copy, graph->nodes[i]);
    }
    return weft_copy_finish(&copy);
}

static bool make_nothing(void *context, const struct weft_graph *graph, struct weft_graph **made,
                         struct weft_error *error) {
    (void)context;
    (void)graph;
    (void)made;
    (void)error;
    return true;
}

static bool break_off(void *context, const struct weft_graph *graph, struct weft_graph **made,
                      struct weft_error *error) {
    (void)context;
    (void)graph;
    (void)made;
    return weft_fail(error, WEFT_CAPACITY, 3, "the network is too wide");
}

static bool use_all_memory(void *context, const struct weft_graph *graph, struct weft_graph **made,
                           struct weft_error *error) {
    (void)context;
    (void)made;
    (void)error;
    return weft_arena_allocate(graph->arena, SIZE_MAX / 2, 4) == NULL;
}

/* One that changes the copy that it makes. */
#define CHANGE(name)                                                                               \
    static void change_##name(struct weft_graph *graph);                                           \
    static bool name(void *context, const struct weft_graph *graph, struct weft_graph **made,      \
                     struct weft_error *error) {                                                   \
        (void)context;                                                                             \
        (void)error;                                                                               \
        *made = copy_of(graph);                                                                    \
        change_##name(*made);                                                                      \
        return true;                                                                               \
    }                                                                                              \
    static void change_##name(struct weft_graph *graph)

CHANGE(type_ill) {
    graph->nodes[1]->results[0]->type.dtype = WEFT_U8;
}

CHANGE(tie_a_cycle) {
    graph->nodes[0]->inputs[0] = graph->nodes[2]->results[0];
}

CHANGE(turn_around) {
    struct weft_node *first = graph->nodes[0];
    graph->nodes[0] = graph->nodes[2];
    graph->nodes[2] = first;
}

CHANGE(repeat_a_node) {
    graph->nodes[2] = graph->nodes[1];
}

CHANGE(invent_an_operator) {
    graph->nodes[1]->op = (enum weft_operator)4711;
}

CHANGE(lose_an_attribute) {
    weft_node_remove_attribute(graph->nodes[0], WEFT_ATTR_min);
}

CHANGE(lose_a_node) {
    graph->nodes[1] = NULL;
}

CHANGE(lose_an_operand) {
    graph->nodes[1]->inputs[1] = NULL;
}

CHANGE(lose_a_result) {
    graph->nodes[1]->results[0] = NULL;
}

CHANGE(lose_a_scale) {
    graph->nodes[1]->results[0]->type.quantization.scale = NULL;
}

CHANGE(lose_the_name) {
    graph->name = NULL;
}

CHANGE(drop_an_input) {
    graph->nodes[1]->inputs[1] = graph->nodes[0]->results[0];
    graph->input_count = 1;
}

CHANGE(add_an_output) {
    weft_graph_add_output(graph, graph->nodes[0]->results[0]);
}

CHANGE(change_an_output) {
    graph->outputs[0] = graph->nodes[1]->results[0];
}

CHANGE(swap_types_of_inputs) {
    graph->inputs[0]->type.quantization = graph->nodes[2]->results[0]->type.quantization;
    graph->nodes[0]->results[0]->type.quantization = graph->inputs[0]->type.quantization;
}

CHANGE(name_a_target) {
    weft_node_add_attribute(graph->arena, graph->nodes[1],
                            weft_attr_text(WEFT_ATTR_target, "weft"));
}

CHANGE(make_a_region) {
    const struct weft_attribute target = weft_attr_text(WEFT_ATTR_target, "weft");
    struct weft_node *region =
        weft_graph_add_node(graph, WEFT_OP_REGION, 1, graph->inputs, 1, &target);
    region->body = weft_graph_new(graph->arena, "body");
    struct weft_value *x = weft_graph_add_input(region->body, &graph->inputs[0]->type, "x", -1);
    weft_graph_add_output(region->body, x);
    weft_node_add_result(graph, region, &x->type, -1);
}

CHANGE(hide_something) {
    struct weft_node *opaque =
        weft_graph_add_node(graph, WEFT_OP_OPAQUE, 1, graph->inputs, 0, NULL);
    weft_node_add_result(graph, opaque, &graph->inputs[0]->type, -1);
}

static bool use_another_arena(void *context, const struct weft_graph *graph,
                              struct weft_graph **made, struct weft_error *error) {
    (void)graph;
    (void)error;
    *made = graph_of(context, text);
    return true;
}

static void what_passes_must_not_leave_is_refused(void **state) {
    static const struct {
        pass_run *run;
        const char *message;
    } wrong[] = {
        {make_nothing, "it made no graph"},
        {use_another_arena, "it made a graph in another arena"},
        {type_ill, "graph main, node 1"},
        {tie_a_cycle, "node 0 (clip): an input is used before it is made"},
        {turn_around, "node 0 (qnn.tanh): an input is used before it is made"},
        {repeat_a_node, "node 2 (qnn.add): a result belongs to another node or is made twice"},
        {invent_an_operator, "node 1: there is no such operator"},
        {lose_an_attribute, "node 0 (clip): attribute min is missing"},
        {lose_a_node, "node 1: it, an operand, a result or an attribute is NULL"},
        {lose_an_operand, "node 1: it, an operand, a result or an attribute is NULL"},
        {lose_a_result, "node 1: it, an operand, a result or an attribute is NULL"},
        {lose_a_scale, "node 1: it, an operand, a result or an attribute is NULL"},
        {lose_the_name, "it made a graph without a name"},
        {drop_an_input, "it left 1 inputs, expected the 2 that there were"},
        {add_an_output, "it left 2 outputs, expected the 1 that there were"},
        {change_an_output, "it changed the type of output 0"},
        {swap_types_of_inputs, "it changed the type of input 0"},
        {name_a_target, "node 1: an attribute target or region"},
        {make_a_region, "node 3: a composite, a region or an opaque node"},
        {hide_something, "node 3: a composite, a region or an opaque node"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const struct weft_user_pass pass = {
            .name = "bad-pass", .before = "slice-gathers", .run = wrong[i].run, .context = *state};
        assert_refused(*state, &pass, wrong[i].message);
        assert_refused(*state, &pass, "plugin mine: pass bad-pass, behind keep-tensors: ");
        assert_null(strstr(seen, "bad-pass")); /* nobody saw its graph */
    }
}

static void errors_of_passes_are_passed_on(void **state) {
    struct weft_error error;
    struct weft_user_pass pass = {.name = "bad-pass", .after = "import", .run = break_off};
    ASSERT_FAILS(compile_with(*state, 1, &pass, false, &error), error, WEFT_CAPACITY);
    assert_int_equal(error.position, 3);
    assert_string_equal(error.message, "plugin mine: pass bad-pass, behind import: the network is "
                                       "too wide");
    pass.run = use_all_memory;
    ASSERT_FAILS(compile_with(*state, 1, &pass, false, &error), error, WEFT_OUT_OF_MEMORY);
}

/* Registered without a plugin, in the options alone. */
static void passes_need_no_plugin(void **state) {
    struct weft_error error;
    struct weft_module *module = NULL;
    const struct weft_config config = config_named("ref16");
    const struct weft_user_pass pass = {.name = "own", .after = "import", .run = break_off};
    const struct weft_compile_options options = {
        .host_only = true, .pass_count = 1, .passes = &pass};
    ASSERT_FAILS(weft_compile_graph(graph_of(*state, text), &config, &options, &module, &error),
                 error, WEFT_CAPACITY);
    assert_string_equal(error.message, "pass own, behind import: the network is too wide");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ARENA_TEST(a_library_is_loaded),
        cmocka_unit_test(other_files_are_not),
        cmocka_unit_test(a_plugin_that_does_not_open_is_refused),
        cmocka_unit_test(contents_must_be_there),
        ARENA_TEST(passes_stand_where_they_say),
        ARENA_TEST(two_plugins_at_one_place_run_as_they_were_registered),
        ARENA_TEST(with_keep_tensors_only_those_run_that_keep_them),
        ARENA_TEST(passes_without_a_place_are_refused),
        ARENA_TEST(what_passes_must_not_leave_is_refused),
        ARENA_TEST(errors_of_passes_are_passed_on),
        ARENA_TEST(passes_need_no_plugin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
