#include "cli/hint.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum {
    LONGEST = 40 /* names that are compared */
};

/* Insertions, deletions, changes and swaps of neighbours that make `b` of `a`; SIZE_MAX of names
 * that are too long. */
static size_t changes_between(const char *a, const char *b) {
    size_t rows[3][LONGEST + 1]; /* of the table of Damerau and Levenshtein */
    size_t length_a = strlen(a);
    size_t length_b = strlen(b);
    if (length_a > LONGEST || length_b > LONGEST) {
        return SIZE_MAX;
    }
    for (size_t j = 0; j <= length_b; j++) {
        rows[0][j] = j;
    }
    for (size_t i = 1; i <= length_a; i++) {
        size_t *row = rows[i % 3];
        const size_t *above = rows[(i - 1) % 3];
        const size_t *second = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= length_b; j++) {
            size_t change = above[j - 1] + (a[i - 1] != b[j - 1]);
            size_t one = 1 + (above[j] < row[j - 1] ? above[j] : row[j - 1]);
            row[j] = change < one ? change : one;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                second[j - 2] + 1 < row[j]) {
                row[j] = second[j - 2] + 1;
            }
        }
    }
    return rows[length_a % 3][length_b];
}

struct hint hint_of(const char *written) {
    return (struct hint){.written = written, .changes = SIZE_MAX};
}

void hint_consider(struct hint *hint, const char *name) {
    size_t changes = changes_between(hint->written, name);
    if (changes < hint->changes) {
        hint->nearest = name;
        hint->changes = changes;
    }
}

const char *hint_text(const struct hint *hint, const char *prefix, char text[HINT_BYTES]) {
    /* A third of the letters may be wrong; of what is shorter than three, none. */
    bool near = hint->nearest != NULL && hint->changes <= (strlen(hint->written) + 1) / 3;
    text[0] = '\0';
    if (near) {
        (void)snprintf(text, HINT_BYTES, "; did you mean %s%s?", prefix, hint->nearest);
    }
    return text;
}
