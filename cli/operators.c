/* weft operators: what is supported of TFLite and ONNX. */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/json_file.h"
#include "compiler/import/onnx/onnx_operators.h"
#include "compiler/import/operators.h"

/* Calls `each` for every operator that is supported, or for every one that is not. */
static void for_each(bool supported, void (*each)(const struct weft_tflite_operator *op)) {
    const struct weft_tflite_operator *op = weft_tflite_operator_at(0);
    for (size_t i = 0; op != NULL; op = weft_tflite_operator_at(++i)) {
        if ((op->place != WEFT_PLACE_NONE) == supported) {
            each(op);
        }
    }
}

static void print_types(const struct weft_tflite_operator *op) {
    const char *separator = "";
    for (enum weft_dtype dtype = 0; dtype < WEFT_DTYPES; dtype++) {
        if ((op->types >> dtype & 1) != 0) {
            printf("%s%s", separator, weft_dtype_file_name(dtype));
            separator = ", ";
        }
    }
}

/* ---- as text ---- */

static void print_row(const struct weft_tflite_operator *op) {
    printf("%-28s %-9s  ", op->name, weft_place_name(op->place));
    print_types(op);
    printf("%s%s\n", op->conditions[0] == '\0' ? "" : "; ", op->conditions);
}

/* "7 and later", "9 to 10"; of other domains their name. */
static const char *versions(const struct weft_onnx_operator *op, char *text, size_t size) {
    if (op->domain[0] != '\0') {
        (void)snprintf(text, size, "%s", op->domain);
    } else if (op->last == WEFT_ONNX_NEWEST) {
        (void)snprintf(text, size, "from %" PRId32, op->since);
    } else {
        (void)snprintf(text, size, "%" PRId32 " to %" PRId32, op->since, op->last);
    }
    return text;
}

static void print_onnx_rows(void) {
    char text[40];
    const struct weft_onnx_operator *op = weft_onnx_operator_at(0);
    for (size_t i = 0; op != NULL; op = weft_onnx_operator_at(++i)) {
        printf("%-28s %-9s  %s%s%s\n", op->name, weft_place_name(op->place),
               versions(op, text, sizeof text), op->conditions[0] == '\0' ? "" : "; ",
               op->conditions);
    }
}

/* ---- as the page docs/operators.md ---- */

static void print_markdown_row(const struct weft_tflite_operator *op) {
    printf("| %s | ", op->name);
    print_types(op);
    printf(" | %s | %s |\n", weft_place_name(op->place), op->conditions);
}

/* Lines of names, for a paragraph. */
static void print_name(const struct weft_tflite_operator *op) {
    printf("%s\n", op->name);
}

static void print_onnx_page(void) {
    char text[40];
    const struct weft_onnx_operator *op = weft_onnx_operator_at(0);
    printf(
        "\n## ONNX\n"
        "\n"
        "Versions are those of ONNX's operators (opset), up to %d; the format's own are 3 to 14. "
        "Element types are all numbers and BOOL, where\n"
        "ONNX has them; FLOAT16, DOUBLE, UINT16, UINT32 and UINT64 are computed in FLOAT, INT32 "
        "and INT64. What must be known or constant may\n"
        "follow from constants and shapes; `weft run` takes it from `--input`, too. Functions that "
        "a model brings are read in place of their calls.\n"
        "Everything else is refused with its name and position.\n"
        "\n"
        "| operator | versions | where | conditions |\n"
        "|---|---|---|---|\n",
        WEFT_ONNX_NEWEST);
    for (size_t i = 0; op != NULL; op = weft_onnx_operator_at(++i)) {
        printf("| %s | %s | %s | %s |\n", op->name, versions(op, text, sizeof text),
               weft_place_name(op->place), op->conditions);
    }
}

static void print_page(void) {
    printf("# Operators\n"
           "\n"
           "Written by `weft operators --markdown` from `compiler/import/tflite_operators.def` and "
           "`compiler/import/onnx/onnx_operators.def`;\n"
           "do not edit.\n"
           "\n"
           "An operator that is not supported, or not of these element types, is refused with its "
           "name and position; `weft inspect` lists all of\n"
           "a model. *machine*: the machine carries it out of INT8 and UINT8, and the host "
           "otherwise, also where a condition after \"machine:\"\n"
           "does not hold or a layer does not fit. *host*: the host does. *when read*: nothing is "
           "left of it once the model is read.\n"
           "Results of TFLite's equal LiteRT's reference kernels byte for byte "
           "([numerics](numerics.md)).\n"
           "\n"
           "## TFLite\n"
           "\n"
           "Dimensions that a model leaves open are 1. Of several subgraphs, as of several "
           "signatures, the first one is taken; a note names the others.\n"
           "\n"
           "| operator | element types | where | conditions |\n"
           "|---|---|---|---|\n");
    for_each(true, print_markdown_row);
    print_onnx_page();
    printf("\n## Not supported of TFLite\n\n");
    for_each(false, print_name);
}

/* ---- as JSON ---- */

static json_t *operator_json(const struct weft_tflite_operator *op) {
    json_t *types = json_array();
    for (enum weft_dtype dtype = 0; dtype < WEFT_DTYPES; dtype++) {
        if ((op->types >> dtype & 1) != 0) {
            json_array_append_new(types, json_string(weft_dtype_file_name(dtype)));
        }
    }
    return json_pack("{s:s, s:i, s:b, s:s, s:o, s:s}", "name", op->name, "code", op->code,
                     "supported", op->place != WEFT_PLACE_NONE, "where", weft_place_name(op->place),
                     "types", types, "conditions", op->conditions);
}

static json_t *onnx_json(const struct weft_onnx_operator *op) {
    return json_pack("{s:s, s:s, s:i, s:i, s:s, s:s}", "name", op->name, "domain", op->domain,
                     "since", op->since, "last", op->last, "where", weft_place_name(op->place),
                     "conditions", op->conditions);
}

static int write_json(const char *path) {
    struct weft_error error;
    json_begin(NULL, 0);
    json_t *operators = json_array();
    const struct weft_tflite_operator *op = weft_tflite_operator_at(0);
    for (size_t i = 0; op != NULL; op = weft_tflite_operator_at(++i)) {
        json_array_append_new(operators, operator_json(op));
    }
    json_t *onnx = json_array();
    const struct weft_onnx_operator *other = weft_onnx_operator_at(0);
    for (size_t i = 0; other != NULL; other = weft_onnx_operator_at(++i)) {
        json_array_append_new(onnx, onnx_json(other));
    }
    json_t *root = json_pack("{s:o, s:o}", "operators", operators, "onnx", onnx);
    return write_json_file(path, root, &error) ? STATUS_GOOD : report(path, &error);
}

int command_operators(const struct given *given) {
    const char *json = given_value(given, OPTION_JSON);
    if (json != NULL && write_json(json) != STATUS_GOOD) {
        return STATUS_ERROR;
    }
    if (given_count(given, OPTION_MARKDOWN) > 0) {
        print_page();
    } else if (json == NULL) {
        for_each(true, print_row);
        printf("\nONNX:\n");
        print_onnx_rows();
    }
    return STATUS_GOOD;
}
