#include "python/failure.h"

namespace nb = nanobind;

void fail(weft_error_code code, uint64_t position, const char *message) {
    Failure failure{};
    weft_error_set(&failure.error, code, position, "%s", message);
    throw failure;
}

namespace {

// The messages of C may quote bytes of a model that are no UTF-8.
void raise(const weft_error &error) {
    nb::object message = nb::steal(
        PyUnicode_DecodeUTF8(error.message, (Py_ssize_t)strlen(error.message), "backslashreplace"));
    nb::object type = nb::module_::import_("weft._error").attr("Error");
    nb::object made = type(weft_error_name(error.code), message, error.position);
    PyErr_SetObject(type.ptr(), made.ptr());
}

} // namespace

void register_failure(nb::module_ &module) {
    nb::register_exception_translator([](const std::exception_ptr &thrown, void *) {
        try {
            std::rethrow_exception(thrown);
        } catch (const Failure &failure) {
            raise(failure.error);
        }
    });
    nb::dict texts;
    for (int code = WEFT_OK + 1; code < WEFT_ERROR_CODES; code++) {
        texts[weft_error_name((weft_error_code)code)] = weft_error_text((weft_error_code)code);
    }
    module.attr("ERRORS") = texts;
}
