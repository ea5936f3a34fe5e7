/* Assembly text: what assembles must disassemble to text that assembles to the same. */
#include <stdlib.h>
#include <string.h>

#include "isa/isa.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct weft_error error;
    struct weft_program first;
    struct weft_program second;
    struct weft_text text = {0};
    if (!weft_assemble((const char *)data, size, &first, &error)) {
        return 0;
    }
    for (size_t i = 0; i < first.count; i++) {
        weft_disassemble(&first.instructions[i], &text);
        weft_text_add(&text, "\n");
    }
    if (!weft_text_finish(&text, &error) ||
        !weft_assemble(text.bytes, text.length, &second, &error) || first.count != second.count) {
        abort();
    }
    for (size_t i = 0; i < first.count; i++) {
        uint8_t a[WEFT_INSTRUCTION_BYTES];
        uint8_t b[WEFT_INSTRUCTION_BYTES];
        if (!weft_encode(&first.instructions[i], a, &error) ||
            !weft_encode(&second.instructions[i], b, &error) || memcmp(a, b, sizeof a) != 0) {
            abort();
        }
    }
    weft_text_free(&text);
    weft_program_free(&first);
    weft_program_free(&second);
    return 0;
}
