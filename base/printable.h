/* Text that comes from others and is printed. */
#ifndef WEFT_BASE_PRINTABLE_H
#define WEFT_BASE_PRINTABLE_H

/* Does a byte control a terminal? Of those that it takes for controls with the top bit set, too,
 * in UTF-8 (0xc2 comes before them) and without. */
static inline int weft_byte_controls(const char *text, int is_first) {
    unsigned char byte = (unsigned char)text[0];
    unsigned char before = is_first ? 0 : (unsigned char)text[-1];
    return byte < 0x20 || byte == 0x7f ||
           (byte >= 0x80 && byte < 0xa0 && (before < 0x80 || before == 0xc2));
}

/* What controls a terminal becomes '?', so that text is one line. */
static inline void weft_make_printable(char *text) {
    for (char *at = text; *at != '\0'; at++) {
        if (weft_byte_controls(at, at == text)) {
            *at = '?';
        }
    }
}

#endif
