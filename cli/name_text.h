/* Names of tensors in tables. */
#ifndef WEFT_CLI_NAME_TEXT_H
#define WEFT_CLI_NAME_TEXT_H

#include <stddef.h>

/* A name that a converter joined of several, by semicolons: the first, of which the first size - 1
 * characters are kept. What is not printable ASCII is '?'. */
static inline void name_text(char *text, size_t size, const char *name) {
    size_t length = 0;
    for (; length + 1 < size && name[length] != '\0' && name[length] != ';'; length++) {
        text[length] = (char)(name[length] < ' ' || name[length] > '~' ? '?' : name[length]);
    }
    text[length] = '\0';
}

#endif
