/* compiler/import: the options of custom operators. */
#include "tests/unit/test.h"

#include <stdlib.h>
#include <string.h>

#include "compiler/import/flexbuffer.h"

/* {"count": 300, "half": 0.5, "minus": -2, "x": {"y": 1}, "yes": true}, as Google's library writes
 * it. */
static const uint8_t bytes[80] = {
    0x63, 0x6f, 0x75, 0x6e, 0x74, 0x00, 0x68, 0x61, 0x6c, 0x66, 0x00, 0x6d, 0x69, 0x6e, 0x75, 0x73,
    0x00, 0x79, 0x65, 0x73, 0x00, 0x78, 0x00, 0x79, 0x00, 0x01, 0x03, 0x01, 0x01, 0x01, 0x01, 0x04,
    0x05, 0x21, 0x1c, 0x18, 0x0f, 0x14, 0x00, 0x00, 0x07, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00,
    0x05, 0x00, 0x00, 0x00, 0x2c, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x3f, 0xfe, 0xff, 0xff, 0xff,
    0x22, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x06, 0x0e, 0x06, 0x24, 0x6a, 0x19, 0x26, 0x01};

static void numbers_are_read(void **state) {
    static const struct {
        const char *name;
        double number;
    } cases[] = {{"count", 300}, {"half", 0.5}, {"minus", -2}, {"yes", 1}};
    const struct flexbuffer buffer = {bytes, sizeof bytes};
    double number = 0;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_true(flexbuffer_number(&buffer, cases[i].name, &number));
        assert_true(number == cases[i].number);
    }
    assert_false(flexbuffer_number(&buffer, "x", &number)); /* a map */
    assert_false(flexbuffer_number(&buffer, "y", &number)); /* not of the root */
    assert_false(flexbuffer_number(&buffer, "", &number));
}

/* Every length, and every byte as anything: nothing outside is read, which a sanitizer sees. */
static void damage_is_no_harm(void **state) {
    static const char *const names[] = {"count", "half", "minus", "yes"};
    double number = 0;
    uint32_t found = 0;
    (void)state;
    for (uint32_t length = 0; length <= sizeof bytes; length++) {
        for (uint32_t place = 0; place < length; place++) {
            for (uint32_t flip = 1; flip < 256; flip++) {
                uint8_t *copy = malloc(length);
                assert_non_null(copy);
                memcpy(copy, bytes + sizeof bytes - length, length);
                copy[place] ^= (uint8_t)flip;
                const struct flexbuffer buffer = {copy, length};
                found += flexbuffer_number(&buffer, names[flip % 4], &number);
                free(copy);
            }
        }
        const struct flexbuffer part = {bytes, length};
        assert_true(flexbuffer_number(&part, "half", &number) == (length == sizeof bytes));
    }
    assert_true(found > 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_read),
        cmocka_unit_test(damage_is_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
