#include "tests/kernels/report.h"

#include "firmware/riscv/system.h"
#include "kernels/kernels.h"
#include "tests/kernels/vectors.h"

enum {
    MEMORY_BYTES = 8 << 20
};

static void print_report(const struct vector_report *report) {
    print(weft_kernels[report->kernel].name);
    print(": call ");
    print_number(report->vector);
    print(", status ");
    print_number(report->status);
    print(", differ ");
    print_number(report->differ);
    print(", beyond ");
    print_number(report->beyond);
    print(", most ");
    print_number(report->most);
    print("\n");
}

bool repeat_and_report(const uint8_t *vectors, uint8_t *memory) {
    const uint32_t wrong = run_vectors(vectors, memory, MEMORY_BYTES, print_report);
    if (wrong == UINT32_MAX) {
        print("no vectors, or no room for them\n");
        return false;
    }
    print_number(((const struct vectors *)(const void *)vectors)->count);
    print(" calls, ");
    print_number(wrong);
    print(" came to something else\n");
    return true;
}
