/* What an evaluation calls in Verilator's run time where the RTL prints or stops. */
#include <cstdarg>
#include <cstdio>

#include "hw/tb/evaluation.h"
#include "hw/tb/hooks.h"

using namespace rtl;

namespace {

enum {
    PRINTED_BYTES = 400, /* of a message that are kept */
};

thread_local evaluation *evaluated = nullptr;

} // namespace

void rtl::set_current(evaluation *current) {
    evaluated = current;
}

void rtl::fail(evaluation *current, const char *format, ...) {
    char text[sizeof current->error.message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (!current->failed) {
        current->failed = true;
        weft_error_set(&current->error, WEFT_INTERNAL, current->cycle, "cycle %" PRIu64 ": %s",
                       current->cycle, text);
    }
}

void rtl::fail_no_memory(evaluation *current) {
    current->failed = true;
    weft_error_set(&current->error, WEFT_OUT_OF_MEMORY, 0, "no memory for the RTL");
}

namespace {

/* What was printed, on one line, without the "[time] %Error: " that $error puts before it. */
std::string take_printed(evaluation *current) {
    std::string text = std::move(current->printed);
    current->printed.clear();
    static const char mark[] = "%Error: ";
    size_t begin = text.find(mark);
    if (begin != std::string::npos) {
        text.erase(0, begin + sizeof mark - 1);
    }
    while (!text.empty() && text.back() == '\n') {
        text.pop_back();
    }
    for (char &letter : text) {
        letter = letter == '\n' ? ' ' : letter;
    }
    return text;
}

} // namespace

int weft_rtl_print(const char *format, ...) {
    char text[PRINTED_BYTES];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (evaluated != nullptr && evaluated->printed.size() < PRINTED_BYTES) {
        evaluated->printed += text;
    }
    return length;
}

/* $stop, and what $error ends with. The evaluation goes on to its end. */
void vl_stop(const char *file, int line, const char *) {
    std::string text = take_printed(evaluated);
    if (text.empty()) {
        fail(evaluated, "%s:%d: $stop", file, line);
    } else {
        fail(evaluated, "%s", text.c_str());
    }
}

void vl_finish(const char *file, int line, const char *) {
    fail(evaluated, "%s:%d: $finish", file, line);
}

/* The run time cannot go on: the evaluation must not return to where it was. */
void vl_fatal(const char *file, int line, const char *, const char *message) {
    throw broken{std::string(file) + ":" + std::to_string(line) + ": " + message};
}
