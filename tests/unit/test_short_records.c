/* Which scalings of channels have short records (isa/record.h), and that they compute what others
 * do. */
#include "base/text.h"
#include "isa/record.h"
#include "tests/unit/computes.h"
#include "tests/unit/modules.h"

enum {
    CHANNELS = 40
};

enum share {
    NONE,
    NOT_ALL, /* not those of the last channel */
    ALL
};

/* What the scalings of a product are. */
struct scalings {
    const char *rounding;
    int spread;           /* exponents of channels are up to so much above the least */
    int64_t bias;         /* of the last channel; those of others are small */
    bool is_zero;         /* the scale of the last channel makes its multiplier 0 */
    bool per_channel;     /* else all channels have the same */
    enum share are_short; /* of the instructions that REQUANT, on ref16 */
};

static const struct scalings all[] = {
    {"gemmlowp", 2, 0, false, true, ALL},
    {"gemmlowp", 7, -4194304, false, true, ALL},
    {"gemmlowp", 7, 4194303, false, true, ALL},
    {"float", 7, 9, false, true, ALL},
    {"gemmlowp", 8, 0, false, true, NONE},
    {"gemmlowp", 0, 4194304, false, true, NOT_ALL},
    {"gemmlowp", 7, -4194305, false, true, NOT_ALL},
    {"gemmlowp", 2, 0, true, true, NOT_ALL},
    {"gemmlowp", 0, 0, false, false, NONE},
};

static double scale_of(const struct scalings *s, int channel) {
    double scale = 1.0 + (s->per_channel ? channel % 3 * 0.2 : 0);
    for (int i = 0; s->spread > 0 && i < channel % (s->spread + 1); i++) {
        scale *= 2;
    }
    return s->is_zero && channel == CHANNELS - 1 ? scale * 1e-30 : scale;
}

/* The type of a tensor whose channels lie along `axis`; their scales are `by` times scale_of(). */
static void add_type(struct weft_text *out, const struct scalings *s, const char *shape, int axis,
                     double by) {
    weft_text_add(out, " : %s{axis=%d; ", shape, axis);
    for (int i = 0; i < CHANNELS; i++) {
        weft_text_add(out, "%s%.17g, 0", i == 0 ? "" : "; ", by * scale_of(s, i));
    }
    weft_text_add(out, "}\n");
}

static struct weft_graph *graph_of_scalings(struct weft_arena *arena, const struct scalings *s) {
    struct weft_text text = {0};
    weft_text_add(&text, "graph main(%%a: 1x5x3x16xi8{0.5, 0}) {\n  %%w = constant() data=");
    for (int i = 0; i < CHANNELS * 16; i++) {
        weft_text_add(&text, "%s%d", i == 0 ? "[" : ", ", i * 37 % 251 - 125);
    }
    weft_text_add(&text, "]");
    add_type(&text, s, "40x1x1x16xi8", 0, 0.25);
    weft_text_add(&text, "  %%b = constant() data=");
    for (int i = 0; i < CHANNELS; i++) {
        weft_text_add(&text, "%s%lld", i == 0 ? "[" : ", ",
                      i == CHANNELS - 1 ? (long long)s->bias : i * 71LL - 900);
    }
    weft_text_add(&text, "]");
    add_type(&text, s, "40xi32", 0, 0.125);
    weft_text_add(&text, "  %%p = qnn.conv2d(%%a, %%w) strides=[1, 1] padding=[0, 0, 0, 0] "
                         "dilation=[1, 1] groups=1");
    add_type(&text, s, "1x5x3x40xi32", 3, 0.125);
    weft_text_add(&text, "  %%q = bias_add(%%p, %%b)");
    add_type(&text, s, "1x5x3x40xi32", 3, 0.125);
    weft_text_add(&text,
                  "  %%r = qnn.requantize(%%q) rounding=\"%s\" : 1x5x3x40xi8{256, -3}\n"
                  "  return %%r\n}\n",
                  s->rounding);
    struct weft_graph *graph = graph_of(arena, text.bytes);
    weft_text_free(&text);
    return graph;
}

static int count_short(const struct weft_module *module, int *requants) {
    int count = 0;
    *requants = 0;
    for (size_t i = 0; i < module->segment_count; i++) {
        const struct weft_program *program = &module->segments[i].program;
        for (size_t k = 0; k < program->count; k++) {
            const struct weft_instruction *instruction = &program->instructions[k];
            if (instruction->opcode == WEFT_OPCODE_VECTOR &&
                instruction->vector.function == WEFT_FUNCTION_REQUANT) {
                (*requants)++;
                count += instruction->vector.short_records != 0;
            }
        }
    }
    return count;
}

static void scalings_that_fit_are_short(void **state) {
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        struct weft_graph *graph = graph_of_scalings(*state, &all[i]);
        struct weft_module *module = NULL;
        struct weft_error error;
        ASSERT_GOOD(module_of(graph, "ref16", &module, &error), error);
        int requants = 0;
        int count = count_short(module, &requants);
        if (requants == 0) {
            print_error("case %zu has no REQUANT\n", i);
            fail();
        }
        if (all[i].are_short == ALL    ? count != requants
            : all[i].are_short == NONE ? count != 0
                                       : count == requants) {
            print_error("case %zu: %d of %d are short\n", i, count, requants);
            fail();
        }
        assert_true(computes(graph, i, NULL));
    }
}

/* Each lane of a short record holds what it was given. */
static void records_hold_what_is_written(void **state) {
    (void)state;
    static const struct weft_lane_scaling corners[] = {
        {4194303, 1 << 30, -31},  {-4194304, INT32_MAX, -24}, {0, 1500000001, -28},
        {-1, (1 << 30) + 1, -31}, {1, INT32_MAX - 1, -25},    {77, 1999999999, -26}};
    for (uint32_t block = 8; block <= 32; block *= 2) {
        uint8_t record[7 * 32] = {0};
        struct weft_vector_fields requant = {.per_channel = 1, .short_records = 1, .shift = -31};
        for (uint32_t lane = 0; lane < block; lane++) {
            const struct weft_lane_scaling *scaling = &corners[lane % 6];
            assert_true(weft_is_short(scaling, -31));
            weft_record_write_short(record, block, lane, scaling, -31);
        }
        for (uint32_t lane = 0; lane < block; lane++) {
            const struct weft_lane_scaling *wanted = &corners[lane % 6];
            struct weft_lane_scaling got = weft_record_read(&requant, record, block, lane);
            assert_int_equal(got.bias, wanted->bias);
            assert_int_equal(got.multiplier, wanted->multiplier);
            assert_int_equal(got.shift, wanted->shift);
        }
    }
}

static void what_does_not_fit_is_not_short(void **state) {
    (void)state;
    static const struct weft_lane_scaling none[] = {
        {4194304, 1 << 30, 0}, {-4194305, 1 << 30, 0}, {0, (1 << 30) - 1, 0}, {0, 0, 0},
        {0, -1500000000, 0},   {0, 1 << 30, 8},        {0, 1 << 30, -1}};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        assert_false(weft_is_short(&none[i], 0));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ARENA_TEST(scalings_that_fit_are_short),
        cmocka_unit_test(records_hold_what_is_written),
        cmocka_unit_test(what_does_not_fit_is_not_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
