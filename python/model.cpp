// What a module says about itself.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/model.h"

namespace nb = nanobind;

nb::str to_str(const char *text, size_t length) {
    return nb::steal<nb::str>(
        PyUnicode_DecodeUTF8(text, static_cast<Py_ssize_t>(length), "backslashreplace"));
}

nb::str to_str(const char *text) {
    return to_str(text, strlen(text));
}

nb::list describe(size_t count, weft_value *const *values) {
    nb::list list;
    for (size_t i = 0; i < count; i++) {
        const weft_type &type = values[i]->type;
        const weft_quantization &q = type.quantization;
        const char *name = values[i]->name == nullptr ? "" : values[i]->name;
        nb::list shape;
        nb::list scales;
        nb::list zeros;
        for (uint32_t k = 0; k < type.rank; k++) {
            shape.append(type.dim[k]);
        }
        for (uint32_t k = 0; k < q.count; k++) {
            scales.append(q.scale[k]);
            zeros.append(q.zero[k]);
        }
        list.append(nb::make_tuple(to_str(name), weft_dtype_name(type.dtype), shape, scales, zeros,
                                   q.count > 1 ? static_cast<int>(q.axis) : -1));
    }
    return list;
}

std::string dump(const Json &json) {
    const std::unique_ptr<char, void (*)(char *)> text(
        json ? json_dumps(json.get(), JSON_COMPACT) : nullptr, json_release);
    weft_error error;
    check(json_complete(text.get(), &error), error);
    return text.get();
}

namespace {

nb::list verify(const Module &self) {
    const weft_module *module = self.held->module;
    std::vector<weft_proof> proofs(module->segment_count);
    weft_error error;
    {
        nb::gil_scoped_release release;
        for (uint32_t i = 0; i < module->segment_count; i++) {
            const weft_segment &segment = module->segments[i];
            weft_regions regions;
            weft_segment_regions(&segment, &regions);
            check(weft_verify(&module->config, segment.program.instructions, segment.program.count,
                              &regions, &proofs[i], &error),
                  error);
        }
    }
    nb::list list;
    for (uint32_t i = 0; i < module->segment_count; i++) {
        const weft_proof &proof = proofs[i];
        list.append(nb::make_tuple(proof.instructions, proof.tokens, proof.peak_tokens,
                                   proof.bank_pairs, proof.memory_pairs,
                                   module->segments[i].bound));
    }
    return list;
}

nb::bytes pack(const Module &self) {
    uint8_t *bytes = nullptr;
    size_t length = 0;
    weft_error error;
    {
        nb::gil_scoped_release release;
        const std::lock_guard lock(self.held->mutex);
        check(weft_module_write(self.held->module, &bytes, &length, &error), error);
    }
    const Owned<uint8_t> owned(bytes);
    return nb::bytes(bytes, length);
}

nb::str decisions_of(const Module &self) {
    Text json;
    weft_error error;
    {
        nb::gil_scoped_release release;
        const std::lock_guard lock(self.held->mutex);
        check(weft_module_decisions(self.held->module, &json.text, &error) &&
                  weft_text_finish(&json.text, &error),
              error);
    }
    return to_str(json.text.bytes, json.text.length);
}

nb::str config(const Module &self) {
    Text json;
    weft_error error;
    check(weft_config_print(&self.held->module->config, &json.text, &error), error);
    return to_str(json.text.bytes, json.text.length);
}

size_t instructions(const Module &self) {
    size_t count = 0;
    for (uint32_t i = 0; i < self.held->module->segment_count; i++) {
        count += self.held->module->segments[i].program.count;
    }
    return count;
}

} // namespace

void bind_model(nb::module_ &module) {
    nb::class_<Module> type(module, "Module");
    type.def_prop_ro("name", [](const Module &m) { return to_str(m.held->module->model_name); })
        .def_prop_ro("config", &config)
        .def_prop_ro("inputs",
                     [](const Module &m) {
                         const weft_graph *graph = m.held->module->graph;
                         return describe(graph->input_count, graph->inputs);
                     })
        .def_prop_ro("outputs",
                     [](const Module &m) {
                         const weft_graph *graph = m.held->module->graph;
                         return describe(graph->output_count, graph->outputs);
                     })
        .def_prop_ro("frames", [](const Module &m) { return m.held->module->frames; })
        .def_prop_ro("segments", [](const Module &m) { return m.held->module->segment_count; })
        .def_prop_ro("instructions", &instructions)
        .def_prop_ro("cycles", [](const Module &m) { return weft_module_cycles(m.held->module); })
        .def_prop_ro("bound", [](const Module &m) { return weft_module_bound(m.held->module); })
        .def("verify", &verify)
        .def("write", &pack)
        .def("decisions", &decisions_of);
    bind_documents(type);
}
