/* compiler/passes/make_depthwise: before and after. */
#include "tests/unit/graphs.h"

#include "compiler/passes/passes.h"

#define G(input, nodes) "graph g(%0: " input ") {\n" nodes "  return %r\n}\n"

static void averages_of_windows_are_products(void **state) {
    assert_pass(*state, weft_pass_make_depthwise,
                G("1x5x4x2xf32", "  %r = avg_pool2d(%0) kernel=[2, 1] strides=[1, 2] "
                                 "padding=[0, 0, 0, 0] : 1x4x2x2xf32\n"),
                G("1x5x4x2xf32", "  %made0 = constant() data=[0.5, 0.5, 0.5, 0.5] : 2x2x1x1xf32\n"
                                 "  %r = conv2d(%0, %made0) strides=[1, 2] padding=[0, 0, 0, 0] "
                                 "dilation=[1, 1] groups=2 : 1x4x2x2xf32\n"));
}

static void factors_of_channels_are_products(void **state) {
    assert_pass(*state, weft_pass_make_depthwise,
                G("1x2x2x3xf32", "  %c = constant() data=[1, 2, 4] : 1x1x1x3xf32\n"
                                 "  %r = mul(%c, %0) : 1x2x2x3xf32\n"),
                G("1x2x2x3xf32", "  %made0 = constant() data=[1, 2, 4] : 3x1x1x1xf32\n"
                                 "  %r = conv2d(%0, %made0) strides=[1, 1] padding=[0, 0, 0, 0] "
                                 "dilation=[1, 1] groups=3 : 1x2x2x3xf32\n"));
    assert_pass(*state, weft_pass_make_depthwise,
                G("1x2x2x3xf32", "  %c = constant() data=[1, 2, 4] : 3xf32\n"
                                 "  %r = divide(%0, %c) : 1x2x2x3xf32\n"),
                G("1x2x2x3xf32", "  %made0 = constant() data=[1, 0.5, 0.25] : 3x1x1x1xf32\n"
                                 "  %r = conv2d(%0, %made0) strides=[1, 1] padding=[0, 0, 0, 0] "
                                 "dilation=[1, 1] groups=3 : 1x2x2x3xf32\n"));
}

static void others_stay(void **state) {
    static const char *const texts[] = {
        /* the mean of the image; windows that hold fewer elements at the edges; bytes */
        G("1x5x4x2xf32", "  %r = avg_pool2d(%0) kernel=[5, 4] strides=[1, 1] "
                         "padding=[0, 0, 0, 0] : 1x1x1x2xf32\n"),
        G("1x5x4x2xf32", "  %r = avg_pool2d(%0) kernel=[3, 3] strides=[1, 1] "
                         "padding=[1, 1, 1, 1] : 1x5x4x2xf32\n"),
        G("1x5x4x2xi8{0.5, 3}", "  %r = avg_pool2d(%0) kernel=[2, 2] strides=[1, 1] "
                                "padding=[0, 0, 0, 0] : 1x4x3x2xi8{0.5, 3}\n"),
        /* one number; of columns; of other axes than four; of none to divide by */
        G("1x2x2x3xf32", "  %c = constant() data=[2] : f32\n"
                         "  %r = mul(%0, %c) : 1x2x2x3xf32\n"),
        G("1x2x2x3xf32", "  %c = constant() data=[2, 3] : 1x1x2x1xf32\n"
                         "  %r = mul(%0, %c) : 1x2x2x3xf32\n"),
        G("2x3xf32", "  %c = constant() data=[1, 2, 4] : 3xf32\n"
                     "  %r = mul(%0, %c) : 2x3xf32\n"),
        G("1x2x2x3xf32", "  %c = constant() data=[1, 0, 4] : 3xf32\n"
                         "  %r = divide(%0, %c) : 1x2x2x3xf32\n"),
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_stays(*state, weft_pass_make_depthwise, texts[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ARENA_TEST(averages_of_windows_are_products),
        ARENA_TEST(factors_of_channels_are_products),
        ARENA_TEST(others_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
