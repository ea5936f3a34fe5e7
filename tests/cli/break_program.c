/* Writes a .weft file whose first program has lost a wait: whole, but with a race.
 * usage: break_program X.weft OUT.weft */
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "compiler/module.h"

static bool drop_first_wait(struct weft_module *module) {
    struct weft_program *program = &module->segments[0].program;
    for (size_t i = 0; i < program->count; i++) {
        if (program->instructions[i].wait != 0) {
            program->instructions[i].wait = 0;
            return true;
        }
    }
    return false;
}

int main(int argc, char **argv) {
    struct weft_error error = {.message = "usage: break_program X.weft OUT.weft"};
    struct weft_module *module = NULL;
    uint8_t *bytes = NULL;
    uint8_t *broken = NULL;
    size_t length = 0;
    bool good = argc == 3 && weft_file_read(argv[1], &bytes, &length, &error) &&
                weft_module_read(bytes, length, NULL, &module, &error) && drop_first_wait(module) &&
                weft_module_write(module, &broken, &length, &error) &&
                weft_file_write(argv[2], broken, length, &error);
    if (!good) {
        fprintf(stderr, "break_program: %s\n", error.message);
    }
    weft_module_free(module);
    free(bytes);
    free(broken);
    return good ? 0 : 1;
}
