// Sweeps: many points, each a row of a file.
#include <cmath>

#include <nanobind/stl/string.h>

#include "python/model.h"

namespace nb = nanobind;

namespace {

struct FreeDefinition {
    void operator()(sweep_definition *definition) const {
        sweep_definition_free(definition);
        free(definition);
    }
};
using Definition = std::unique_ptr<sweep_definition, FreeDefinition>;

Definition parse(const std::string &text) {
    weft_error error;
    Definition made(static_cast<sweep_definition *>(calloc(1, sizeof(sweep_definition))));
    if (made == nullptr) {
        fail(WEFT_OUT_OF_MEMORY, 0, "no memory for a sweep");
    }
    check(sweep_parse(made.get(), text.data(), text.size(), ".", &error) &&
              sweep_definition_check(made.get(), &error),
          error);
    return made;
}

// Who is told how far a sweep is, and what Python raised meanwhile.
struct Told {
    nb::object progress;
    std::unique_ptr<nb::python_error> raised;
};

bool tell(void *context, const sweep_tally *tally, weft_error *error) {
    auto *told = static_cast<Told *>(context);
    nb::gil_scoped_acquire acquire;
    try {
        if (PyErr_CheckSignals() != 0) {
            throw nb::python_error();
        }
        if (!told->progress.is_none()) {
            told->progress(tally->known + tally->ran, tally->points, tally->refused);
        }
        return true;
    } catch (nb::python_error &raised) { // which must not go through C
        told->raised = std::make_unique<nb::python_error>(raised);
    }
    return weft_fail(error, WEFT_STATE, 0, "the sweep was stopped");
}

// (points, known, ran, refused)
nb::tuple run_sweep(const nb::bytes &path, const std::string &text, unsigned workers,
                    double seconds, uint64_t bytes, bool retry, const std::string &technology_name,
                    double clock, const std::string &area_name, const nb::object &progress) {
    const Definition definition = parse(text);
    Told told{progress, nullptr};
    weft_technology technology;
    std::unique_ptr<weft_area_model> area; // too large for the stack
    sweep_tally tally{};
    weft_error error;
    sweep_options options{};
    if (!(seconds >= 0 && seconds <= 1e6)) {
        fail(WEFT_ARGUMENT, 0, "time_limit: expected 0 to 1000000 seconds");
    }
    options.workers = workers;
    options.seconds = seconds;
    options.bytes = bytes;
    options.retry = retry;
    options.read_constant = constant_read;
    options.clock = Machine(0, 0, "", clock).clock;
    if (!technology_name.empty()) {
        check(weft_technology_find(technology_name.c_str(), &technology, &error), error);
        options.technology = &technology;
        options.technology_name = technology_name.c_str();
    }
    if (!area_name.empty()) {
        area = std::make_unique<weft_area_model>();
        check(weft_area_find(area_name.c_str(), area.get(), &error), error);
        options.area = area.get();
        options.area_name = area_name.c_str();
    }
    options.progress = tell;
    options.context = &told;
    bool good = false;
    {
        nb::gil_scoped_release release;
        good = sweep_run(definition.get(), path.c_str(), &options, &tally, &error);
    }
    if (told.raised != nullptr) {
        throw nb::python_error(*told.raised);
    }
    check(good, error);
    return nb::make_tuple(tally.points, tally.known, tally.ran, tally.refused);
}

// What a field of a row holds; of a figure that is not known None.
nb::object value_of(const sweep_row &row, const sweep_field &field) {
    const char *at = reinterpret_cast<const char *>(&row) + field.offset;
    if (field.is_figure && row.error_code[0] != '\0') {
        return nb::none();
    }
    switch (field.kind) {
    case SWEEP_TEXT:
        return to_str(at);
    case SWEEP_VALUE:
        return nb::int_(*reinterpret_cast<const uint32_t *>(at));
    case SWEEP_NUMBER:
        return nb::int_(*reinterpret_cast<const uint64_t *>(at));
    default:
        break;
    }
    const double real = *reinterpret_cast<const double *>(at);
    return std::isnan(real) ? nb::object(nb::none()) : nb::object(nb::float_(real));
}

// The message of a figure that rows cannot be compared by, and the row that it is about.
void note_conflict(nb::dict &conflicts, const char *figure, bool good, const weft_error &error) {
    if (!good) {
        conflicts[figure] = nb::make_tuple(to_str(error.message), error.position);
    }
}

// All rows of a file: [{column: value}], and whether `weft sweep show` has a star at it (`front`;
// None where it refuses them); and why they cannot be compared: {figure: (message, row)}.
nb::tuple rows_of(const nb::bytes &path) {
    sweep_store *store = nullptr;
    sweep_row *list = nullptr;
    size_t count = 0;
    weft_error error;
    check(sweep_store_open(path.c_str(), false, &store, &error), error);
    const bool good = sweep_store_rows(store, &list, &count, &error);
    const Owned<sweep_row> owner(list);
    sweep_store_close(store);
    check(good, error);
    nb::dict conflicts;
    note_conflict(conflicts, "energy", sweep_check_energies(list, count, &error), error);
    note_conflict(conflicts, "area", sweep_check_areas(list, count, &error), error);
    const std::unique_ptr<bool[]> is_front(new bool[count + 1]);
    check(sweep_find_front(list, count, is_front.get(), &error), error);
    nb::list made;
    for (size_t i = 0; i < count; i++) {
        nb::dict row;
        for (size_t k = 0; k < SWEEP_FIELDS; k++) {
            const sweep_field &field = sweep_fields()[k];
            row[field.name] = value_of(list[i], field);
        }
        row["front"] = nb::len(conflicts) > 0 ? nb::object(nb::none()) : nb::bool_(is_front[i]);
        made.append(row);
    }
    return nb::make_tuple(made, conflicts);
}

} // namespace

void bind_sweep(nb::module_ &module) {
    nb::list columns;
    for (size_t i = 0; i < SWEEP_FIELDS; i++) {
        columns.append(sweep_fields()[i].name);
    }
    columns.append("front");
    module.attr("SWEEP_COLUMNS") = columns;
    nb::list axes;
    for (unsigned axis = 0; axis < SWEEP_AXES; axis++) {
        axes.append(sweep_axis_name(axis));
    }
    module.attr("SWEEP_AXES") = axes;
    module.def(
        "sweep", &run_sweep, nb::kw_only(), nb::arg("path"), nb::arg("definition"),
        nb::arg("workers"), nb::arg("time_limit"), nb::arg("memory_limit"), nb::arg("retry"),
        nb::arg("technology"), nb::arg("clock"), nb::arg("area"), nb::arg("progress").none(),
        nb::sig(
            "def sweep(*, path: bytes, definition: str, workers: int, time_limit: float, "
            "memory_limit: int, retry: bool, technology: str, clock: float, area: str, progress: "
            "object | None) -> tuple[int, int, int, int]"));
    module.def("sweep_rows", &rows_of, nb::arg("path"),
               nb::sig("def sweep_rows(path: bytes) -> tuple[list[dict[str, object]], dict[str, "
                       "tuple[str, int]]]"));
}
