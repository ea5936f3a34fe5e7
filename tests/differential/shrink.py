"""Makes a failing case smaller: every step keeps what still fails."""
import copy

import numpy as np


def _resize(model, inputs, axis_size, size):
    """All axes of `axis_size` elements, of inputs and constants, cut to `size`."""
    made = copy.deepcopy(model)
    changed = []
    for index, array in zip(made.inputs, inputs):
        cut = tuple(slice(0, size if n == axis_size else n) for n in array.shape)
        changed.append(np.ascontiguousarray(array[cut]))
        made.tensors[index].shape = changed[-1].shape
    for tensor in made.tensors:
        if tensor.data is not None and tensor.data.dtype not in (np.int32, np.int64) or (
                tensor.data is not None and tensor.scale is not None):
            cut = tuple(slice(0, size if n == axis_size else n) for n in tensor.data.shape)
            tensor.data = np.ascontiguousarray(tensor.data[cut])
            if tensor.sparsity is not None and tensor.shape != tensor.data.shape:
                tensor.sparsity = tensor.sparsity.without_blocks()
            tensor.shape = tensor.data.shape
            if np.ndim(tensor.scale) == 1 and len(tensor.scale) == axis_size:
                tensor.scale = list(tensor.scale)[:size]
                tensor.zero = (list(tensor.zero)[:size] if np.ndim(tensor.zero) == 1
                               else tensor.zero)
    _forget_shapes(made)
    return made, changed


def _forget_shapes(model):
    for op in model.operators:
        for index in op.outputs:
            model.tensors[index].shape = None


def _sizes(model):
    shapes = [model.tensors[i].shape for i in model.inputs]
    shapes += [t.data.shape for t in model.tensors if t.data is not None]
    return sorted({n for s in shapes for n in s if n > 1}, reverse=True)


def _drop_inputs(model, inputs):
    used = {x for op in model.operators for x in op.inputs}
    pairs = [(i, a) for i, a in zip(model.inputs, inputs) if i in used]
    model.inputs = [i for i, _ in pairs]
    return model, [a for _, a in pairs]


def _without(model, inputs, tensors, at):
    """Without one operator: what it made and others need becomes an input, what it read an output
    if there is no other."""
    made = copy.deepcopy(model)
    gone = made.operators.pop(at)
    needed = {x for op in made.operators for x in op.inputs}
    kept = {x for op in made.operators for x in op.outputs}
    arrays = list(inputs)
    for index in gone.outputs:
        if index in needed:
            if index not in tensors:
                return None
            made.inputs.append(index)
            arrays.append(tensors[index])
            made.tensors[index].shape = tensors[index].shape
    made.outputs = [x for x in made.outputs if x in kept] or [x for x in gone.inputs if x in kept]
    return _drop_inputs(made, arrays)


def prune(model):
    """Without the tensors that nothing uses."""
    made = copy.deepcopy(model)
    lists = [made.inputs, made.outputs]
    lists += [numbers for op in made.operators for numbers in (op.inputs, op.outputs)]
    used = sorted({x for numbers in lists for x in numbers if x >= 0})
    for numbers in lists:
        numbers[:] = [used.index(x) if x >= 0 else x for x in numbers]
    made.tensors = [made.tensors[x] for x in used]
    return made


def _one_output(model, inputs):
    for index in model.outputs:
        if len(model.outputs) > 1:
            made = copy.deepcopy(model)
            made.outputs = [index]
            yield made, inputs


def _plain(model, inputs):
    """Without fused activations, and with simpler data."""
    for i, op in enumerate(model.operators):
        if op.fields.get("fusedActivationFunction"):
            made = copy.deepcopy(model)
            made.operators[i].fields["fusedActivationFunction"] = 0
            yield made, inputs
    for i, array in enumerate(inputs):
        zero = model.tensors[model.inputs[i]].middle()
        half = array.copy()
        flat = half.reshape(-1)
        for part in (flat[:flat.size // 2], flat[flat.size // 2:]):
            saved = part.copy()
            if np.all(part == zero):
                continue
            part[:] = zero
            yield model, inputs[:i] + [half.copy()] + inputs[i + 1:]
            part[:] = saved


def _candidates(model, inputs, tensors):
    for at in reversed(range(len(model.operators) if len(model.operators) > 1 else 0)):
        smaller = _without(model, inputs, tensors, at)
        if smaller is not None:
            yield smaller
    yield from _one_output(model, inputs)
    for size in _sizes(model):
        for smaller in sorted({1, size // 2, size - 1}):
            if smaller >= 1:
                yield _resize(model, inputs, size, smaller)
    yield from _plain(model, inputs)


def shrink(model, inputs, tensors, fails, tries=300):
    """`fails(model, inputs)` returns the tensors of a failing case, or None."""
    while tries > 0:
        for candidate in _candidates(model, inputs, tensors):
            tries -= 1
            if not candidate[0].inputs or not candidate[0].outputs:
                continue
            found = fails(*candidate)
            if found is not None:
                model, inputs = candidate
                tensors = found
                break
            if tries <= 0:
                break
        else:
            break
    return prune(model), inputs
