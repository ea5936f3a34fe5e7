/* Turns the .def files of isa into everything that follows from them.
 *
 * usage: generate header|source|sv|slices|encoding|check|python|markdown|registers > FILE
 * Built and run first by CMake. It has no dependencies: the rest of Weft includes what it writes.
 */
#include "isa/definitions.h"

#include <string.h>

/* Registers must not overlap; the counters are the last. */
static bool check_registers(void) {
    for (int i = 0; i < COUNT(registers); i++) {
        bool last = i == COUNT(registers) - 1;
        if (registers[i].address % 8 != 0 ||
            (!last && registers[i].address >= registers[i + 1].address) ||
            (last && strcmp(registers[i].name, "counter") != 0)) {
            fprintf(stderr, "generate: register %s is out of order\n", registers[i].name);
            return false;
        }
    }
    return true;
}

/* Enumerations must count from 0 (name tables are indexed by value), layouts must fit, and names
 * must be unique within an opcode. */
static bool check(void) {
    for (int i = 0, expected = 0; i < COUNT(enumerators); i++) {
        expected = first_of_type(i) ? 0 : expected + 1;
        if (enumerators[i].value != expected) {
            fprintf(stderr, "generate: %s_%s must be %d\n", enumerators[i].type,
                    enumerators[i].name, expected);
            return false;
        }
    }
    for (int i = 0; i < COUNT(opcodes); i++) {
        struct slot slots[MAX_SLOTS];
        int end = 0;
        int count = layout(&opcodes[i], slots, &end);
        if (end > INSTRUCTION_BITS) {
            fprintf(stderr, "generate: %s takes %d bits of %d\n", opcodes[i].name, end,
                    INSTRUCTION_BITS);
            return false;
        }
        for (int j = 0; j < count; j++) {
            for (int k = 0; k < j; k++) {
                if (strcmp(slots[j].field->name, slots[k].field->name) == 0) {
                    fprintf(stderr, "generate: %s has two fields %s\n", opcodes[i].name,
                            slots[j].field->name);
                    return false;
                }
            }
        }
    }
    return true;
}

/* Is a field of kind BANKS the mask of the memory: act_banks of ACT? */
static bool is_mask(const struct field *field, const struct memory *memory) {
    size_t length = strlen(memory->name);
    for (size_t i = 0; i < length; i++) {
        if (field->name[i] != memory->name[i] - 'A' + 'a') {
            return false;
        }
    }
    return strcmp(field->name + length, "_banks") == 0;
}

/* A memory has as many banks at most as its mask has bits, and as a configuration may say. */
static bool check_banks(void) {
    for (int i = 0; i < COUNT(memories); i++) {
        int width = 0;
        long most = memories[i].banks;
        for (int j = 0; j < COUNT(fields); j++) {
            if (strcmp(fields[j].kind, "BANKS") == 0 && is_mask(&fields[j], &memories[i])) {
                const struct parameter *parameter = parameter_of(fields[j].name);
                width = fields[j].width;
                most = parameter != NULL ? parameter->high : most;
            }
        }
        if (width != memories[i].banks || most != memories[i].banks) {
            fprintf(stderr, "generate: %s has %d banks, its mask %d bits, a configuration %ld\n",
                    memories[i].name, memories[i].banks, width, most);
            return false;
        }
    }
    return true;
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*write)(FILE *out);
    } outputs[] = {
        {"header", write_header},       {"source", write_source},     {"sv", write_package},
        {"slices", write_slices},       {"encoding", write_encoding}, {"markdown", write_page},
        {"registers", write_registers}, {"check", write_check},       {"python", write_python},
    };
    if (!check() || !check_banks() || !check_registers()) {
        return 1;
    }
    for (size_t i = 0; argc == 2 && i < sizeof outputs / sizeof outputs[0]; i++) {
        if (strcmp(argv[1], outputs[i].name) == 0) {
            outputs[i].write(stdout);
            return ferror(stdout) ? 1 : 0;
        }
    }
    fprintf(stderr, "usage: generate "
                    "header|source|sv|slices|encoding|check|python|markdown|registers > FILE\n");
    return 2;
}
