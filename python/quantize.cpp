// Float models, quantised over samples.
#include <cmath>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/model.h"

namespace nb = nanobind;

namespace {

struct FloatModel {
    std::shared_ptr<Floats> floats;
};

// Arrays of samples, one for each input, that stay where they are while they are used.
struct Samples {
    std::vector<std::pair<const uint8_t *, size_t>> inputs; // elements; bytes of one sample
    std::vector<int64_t> labels;
};

bool fill(void *context, size_t i, void *const *inputs, weft_error *) {
    const auto *samples = static_cast<const Samples *>(context);
    for (size_t k = 0; k < samples->inputs.size(); k++) {
        const auto &[bytes, length] = samples->inputs[k];
        memcpy(inputs[k], bytes + i * length, length);
    }
    return true;
}

int64_t label_of(void *context, size_t i) {
    return static_cast<const Samples *>(context)->labels[i];
}

FloatModel open_floats(const Path &path, const Data &data, const Dims &dims,
                       uint64_t memory_limit) {
    auto floats = std::make_shared<Floats>();
    const Import import(path, dims);
    floats->bytes = read_bytes(path, data);
    weft_error error;
    nb::gil_scoped_release release;
    if (weft_is_module(floats->bytes.bytes.get(), floats->bytes.length)) {
        fail(WEFT_ARGUMENT, 0, "a compiled model; give the float model");
    }
    check(float_model_open(floats->bytes.bytes.get(), floats->bytes.length, &import.options,
                           import.reader, memory_limit, &floats->model, &error),
          error);
    return FloatModel{floats};
}

// The number of a name in a list that NULL ends.
int find(const char *const *names, const std::string &name, const char *message) {
    for (int i = 0; names[i] != nullptr; i++) {
        if (name == names[i]) {
            return i;
        }
    }
    fail(WEFT_ARGUMENT, 0, message);
}

struct Settings {
    std::string calibration;
    std::optional<double> percentile; // without a value: as usual
    std::optional<uint32_t> bins;
    std::optional<uint32_t> levels;
    bool unsigned_activations;
    std::string weights;
    bool per_tensor;
    bool symmetric;
    bool power_of_two;
    bool bias_correction;
    bool equalize;
    bool integer_ends;
    std::vector<std::string> keep_float;
    double min_sqnr;
    double max_drop; // below 0: none
    uint64_t memory_limit;
};

// What would have no effect is a mistake.
void check_effects(const Settings &settings, weft_calibration calibration) {
    const char *lost = weft_calibration_ignores(
        calibration,
        {settings.percentile.has_value(), settings.levels.has_value(), settings.bins.has_value()});
    if (lost != nullptr) {
        fail(WEFT_ARGUMENT, 0,
             (std::string(lost) + " has no effect with calibration " + settings.calibration)
                 .c_str());
    }
}

weft_quantize_options options_of(const Settings &settings, std::vector<const char *> &names) {
    weft_quantize_options options = weft_quantize_defaults();
    options.calibration = static_cast<weft_calibration>(
        find(weft_calibration_names, settings.calibration, "no such method of calibration"));
    options.weights = static_cast<weft_weight_bits>(
        find(weft_weight_names, settings.weights, "no such type of weights"));
    options.percentile = settings.percentile.value_or(options.percentile);
    options.bins = settings.bins.value_or(options.bins);
    options.levels = settings.levels.value_or(options.levels);
    check_effects(settings, options.calibration);
    options.activations = settings.unsigned_activations ? WEFT_U8 : WEFT_I8;
    options.per_tensor = settings.per_tensor;
    options.is_symmetric = settings.symmetric;
    options.power_of_two = settings.power_of_two;
    options.no_bias_correction = !settings.bias_correction;
    options.equalize = settings.equalize;
    options.integer_ends = settings.integer_ends;
    for (const std::string &name : settings.keep_float) {
        names.push_back(name.c_str());
    }
    options.keep_float_count = names.size();
    options.keep_float = names.data();
    options.min_sqnr = settings.min_sqnr;
    options.max_drop = settings.max_drop;
    options.bytes = settings.memory_limit;
    return options;
}

// `arrays`: by input, elements of all samples in C order.
void quantize(const FloatModel &self, const nb::list &arrays, size_t count,
              const std::optional<std::vector<int64_t>> &labels, const Settings &settings) {
    const weft_graph *graph = float_model_graph(self.floats->model);
    Samples samples;
    std::vector<Py_buffer> views;
    struct Release {
        std::vector<Py_buffer> &views;
        ~Release() {
            for (Py_buffer &view : views) {
                PyBuffer_Release(&view);
            }
        }
    } const release_views{views};
    views.reserve(nb::len(arrays));
    for (nb::handle array : arrays) {
        Py_buffer view;
        if (PyObject_GetBuffer(array.ptr(), &view, PyBUF_SIMPLE) != 0) {
            throw nb::python_error();
        }
        views.push_back(view);
    }
    bool fits = views.size() == graph->input_count && (!labels || labels->size() == count);
    for (size_t i = 0; fits && i < views.size(); i++) {
        const size_t length = weft_type_bytes(&graph->inputs[i]->type);
        fits = length == 0 || (static_cast<size_t>(views[i].len) / length == count &&
                               static_cast<size_t>(views[i].len) % length == 0);
        samples.inputs.emplace_back(static_cast<const uint8_t *>(views[i].buf), length);
    }
    if (!fits) {
        fail(WEFT_TENSOR, 0, "the samples do not have the size of the model's inputs");
    }
    samples.labels = labels.value_or(std::vector<int64_t>{});
    const weft_samples source = {count, fill, &samples};
    std::vector<const char *> names;
    weft_quantize_options options = options_of(settings, names);
    options.samples = &source;
    options.label = labels ? label_of : nullptr;
    options.label_context = &samples;
    weft_error error;
    nb::gil_scoped_release release;
    const std::lock_guard lock(self.floats->mutex);
    if (float_model_quantized(self.floats->model) != nullptr) {
        fail(WEFT_STATE, 0, "the model is quantised already");
    }
    check(float_model_quantize(self.floats->model, &options, &error), error);
}

// What weft_quantize() made; only after it.
const weft_quantized *quantized(const FloatModel &self) {
    const weft_quantized *made = float_model_quantized(self.floats->model);
    if (made == nullptr) {
        fail(WEFT_STATE, 0, "the model is not quantised yet");
    }
    return made;
}

std::string report_of(const FloatModel &self, const std::string &calibration) {
    nb::gil_scoped_release release;
    const std::lock_guard lock(self.floats->mutex);
    const weft_quantized *made = quantized(self);
    const Counting counting;
    json_begin(nullptr, 0);
    return dump(Json(quantize_json(made, calibration.c_str())));
}

nb::str page(const FloatModel &self, const std::string &title) {
    Text text;
    weft_error error;
    {
        nb::gil_scoped_release release;
        const std::lock_guard lock(self.floats->mutex);
        quantize_page(quantized(self), title.c_str(), &text.text);
        check(weft_text_finish(&text.text, &error), error);
    }
    return to_str(text.text.bytes, text.text.length);
}

nb::bytes text_form(const FloatModel &self) {
    Text text;
    weft_error error;
    {
        nb::gil_scoped_release release;
        const std::lock_guard lock(self.floats->mutex);
        (void)quantized(self);
        check(float_model_text(self.floats->model, &text.text, &error), error);
    }
    return nb::bytes(text.text.bytes, text.text.length);
}

nb::bytes onnx(const FloatModel &self) {
    uint8_t *bytes = nullptr;
    size_t length = 0;
    weft_error error;
    {
        nb::gil_scoped_release release;
        const std::lock_guard lock(self.floats->mutex);
        (void)quantized(self);
        check(float_model_onnx(self.floats->model, &bytes, &length, &error), error);
    }
    const Owned<uint8_t> owned(bytes);
    return nb::bytes(bytes, length);
}

Module compile(const FloatModel &self, const std::string &name, const std::string &config_text,
               bool config_is_json, uint32_t effort, uint64_t memory_limit) {
    const weft_config config = read_config(config_text, config_is_json);
    auto held = std::make_shared<Held>();
    held->floats = self.floats;
    weft_compile_options options{};
    options.model_name = name.c_str();
    options.effort = effort;
    options.bytes = memory_limit;
    weft_error error;
    nb::gil_scoped_release release;
    const std::lock_guard lock(self.floats->mutex);
    check(weft_compile_graph(quantized(self)->graph, &config, &options, &held->module, &error),
          error);
    return Module{held};
}

} // namespace

void bind_quantize(nb::module_ &module) {
    nb::class_<Settings>(module, "Settings")
        .def(
            "__init__",
            [](Settings *self, std::string calibration, std::optional<double> percentile,
               std::optional<uint32_t> bins, std::optional<uint32_t> levels,
               bool unsigned_activations, std::string weights, bool per_tensor, bool symmetric,
               bool power_of_two, bool bias_correction, bool equalize, bool integer_ends,
               std::vector<std::string> keep_float, double min_sqnr, double max_drop,
               uint64_t memory_limit) {
                new (self)
                    Settings{std::move(calibration), percentile,         bins,       levels,
                             unsigned_activations,   std::move(weights), per_tensor, symmetric,
                             power_of_two,           bias_correction,    equalize,   integer_ends,
                             std::move(keep_float),  min_sqnr,           max_drop,   memory_limit};
            },
            nb::kw_only(), nb::arg("calibration"), nb::arg("percentile").none(),
            nb::arg("bins").none(), nb::arg("levels").none(), nb::arg("unsigned"),
            nb::arg("weights"), nb::arg("per_tensor"), nb::arg("symmetric"),
            nb::arg("power_of_two"), nb::arg("bias_correction"), nb::arg("equalize"),
            nb::arg("integer_ends"), nb::arg("keep_float"), nb::arg("min_sqnr"),
            nb::arg("max_drop"), nb::arg("memory_limit"));
    const weft_quantize_options defaults = weft_quantize_defaults();
    module.attr("USUAL_CALIBRATION") = weft_calibration_names[defaults.calibration];
    nb::class_<FloatModel>(module, "FloatModel")
        .def_prop_ro("inputs",
                     [](const FloatModel &m) {
                         const weft_graph *graph = float_model_graph(m.floats->model);
                         return describe(graph->input_count, graph->inputs);
                     })
        .def("quantize", &quantize, nb::arg("arrays"), nb::arg("count"), nb::arg("labels").none(),
             nb::arg("settings"))
        .def("report", &report_of, nb::arg("calibration"))
        .def("page", &page, nb::arg("title"))
        .def("text", &text_form)
        .def("onnx", &onnx)
        .def("compile", &compile, nb::kw_only(), nb::arg("name"), nb::arg("config"),
             nb::arg("config_is_json"), nb::arg("effort"), nb::arg("memory_limit"));
    module.def("open_floats", &open_floats, nb::kw_only(), nb::arg("path").none(),
               nb::arg("data").none(), nb::arg("dims"), nb::arg("memory_limit"));
}
