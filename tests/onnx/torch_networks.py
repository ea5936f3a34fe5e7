#!/usr/bin/env python3
"""Networks of torchvision, timm, transformers, ultralytics and segmentation_models_pytorch with random weights, as PyTorch exports them: read, compared with ONNX Runtime, quantised, run.

usage: torch_networks.py WEFT FOLDER [NAME...]
Needs torch, torchvision, timm, transformers, ultralytics, segmentation_models_pytorch, onnxscript and onnxruntime (docs/testing.md says how they are installed: 7 GB, so no test of
ctest runs this). FOLDER keeps the models. A line for each: how near the floats are to ONNX Runtime's, then of the int8 network, calibrated on
four samples of noise, cycles on ref16, what is left to the host, and how near its outputs are to those of the floats. 1: a model was
refused or does not compute, its floats are less than 80 dB near, or a program's bytes are not the same on the functional and the cycle
simulator. Few weights of a network that was not trained are large, and tokens differ by far in theirs: dB say little about trained ones.
"""
import json
import pathlib
import subprocess
import sys
import warnings

import numpy as np
import onnxruntime
import torch

VISION = {  # rows and columns of the picture
    "alexnet": 224, "convnext_tiny": 128, "densenet121": 128, "efficientnet_b0": 128, "efficientnet_v2_s": 128, "googlenet": 128,
    "inception_v3": 299, "maxvit_t": 224, "mnasnet0_5": 128, "mobilenet_v2": 128, "mobilenet_v3_large": 128, "mobilenet_v3_small": 128,
    "regnet_x_400mf": 128, "regnet_y_400mf": 128, "resnet18": 128, "resnext50_32x4d": 128, "shufflenet_v2_x0_5": 128, "squeezenet1_1": 128,
    "swin_t": 128, "vgg11_bn": 128,
}
TIMM = (
    "mobilenetv4_conv_small mobileone_s0 repvgg_a0 ghostnet_050 fbnetc_100 tinynet_e lcnet_050 hardcorenas_a mixnet_s mobilevit_xxs "
    "edgenext_xx_small efficientformer_l1 fastvit_t8 convnextv2_atto poolformer_s12 levit_128s visformer_tiny res2net50_26w_4s dla34 "
    "hrnet_w18_small vovnet39a ese_vovnet19b_dw cspresnet50 rexnet_100 semnasnet_050 focalnet_tiny_srf davit_tiny repghostnet_050 starnet_s1 "
    "inception_next_atto rdnet_tiny efficientvit_b0 efficientvit_m0 tiny_vit_5m_224 hgnetv2_b0 mambaout_femto shvit_s1 swiftformer_xs"
).split()
TEXT = {
    "bert": "Bert", "roberta": "Roberta", "albert": "Albert", "electra": "Electra", "mpnet": "MPNet", "deberta": "DebertaV2", "gpt2": "GPT2",
    "llama": "Llama", "mistral": "Mistral", "qwen3": "Qwen3", "phi": "Phi", "neox": "GPTNeoX", "opt": "OPT",
}
YOLO = "yolov5n yolov8n yolov8n-seg yolov8n-pose yolov9t yolov10n yolo11n yolo12n yolov6n yolov3-tiny".split()  # pictures of 160
SEGMENTATION = {  # their encoders; pictures of 128
    "Unet": "resnet18", "UnetPlusPlus": "mobilenet_v2", "Linknet": "resnet18", "FPN": "mobilenet_v2", "PAN": "resnet18",
    "DeepLabV3Plus": "mobilenet_v2", "Segformer": "mit_b0",
}
SAMPLES, WORDS, TOKENS = 4, 100, 32
weft, folder = sys.argv[1], pathlib.Path(sys.argv[2])
warnings.filterwarnings("ignore")


class Words(torch.nn.Module):
    """A model of words, and a mask that says which are there."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, words, mask):
        return self.model(input_ids=words, attention_mask=mask)[0]


def text_model(name):
    import transformers
    sizes = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 128, "vocab_size": WORDS}
    if name in ("mistral", "qwen3"):  # queries share keys
        sizes.update(num_key_value_heads=2, head_dim=16)
    configuration = getattr(transformers, TEXT[name] + "Config")(**sizes)
    return Words(getattr(transformers, TEXT[name] + "Model")(configuration))


def build(name):
    """The network, and what it takes."""
    if name in TEXT:
        return text_model(name), (torch.randint(0, WORDS, (1, TOKENS)), torch.ones(1, TOKENS, dtype=torch.long))
    if name in VISION:
        import torchvision
        return torchvision.models.get_model(name, weights=None), (torch.randn(1, 3, VISION[name], VISION[name]),)
    if name in YOLO:
        import ultralytics
        made = ultralytics.YOLO(name + ".yaml").model.eval()
        for module in made.modules():  # as its own exporter has it: one tensor of boxes and scores
            if hasattr(module, "export"):
                module.export, module.format = True, "onnx"
        return made, (torch.rand(1, 3, 160, 160),)
    if name in SEGMENTATION:
        import segmentation_models_pytorch
        make = getattr(segmentation_models_pytorch, name)
        return make(encoder_name=SEGMENTATION[name], encoder_weights=None, classes=4), (torch.randn(1, 3, 128, 128),)
    import timm
    model = timm.create_model(name, pretrained=False)
    size = model.default_cfg["input_size"]
    free = size[1] == 224 and not model.default_cfg.get("fixed_input_size") and not name.startswith("tiny_vit")
    return model, (torch.randn(1, 3, 160, 160) if free else torch.randn(1, *size),)


def randomise(model):
    """Statistics of batch normalisation, which are 0 and 1 in a network that was not trained."""
    draw = torch.Generator().manual_seed(7)
    for module in model.modules():
        if isinstance(module, torch.nn.modules.batchnorm._BatchNorm):
            module.running_mean.copy_(torch.randn(module.running_mean.shape, generator=draw) * 0.1)
            module.running_var.copy_(torch.rand(module.running_var.shape, generator=draw) * 0.5 + 0.75)


def export(name, path):
    torch.manual_seed(1)
    model, inputs = build(name)
    model.eval()
    with torch.no_grad():
        randomise(model)
        # What ultralytics has is not what torch's newer exporter traces.
        how = {"dynamo": False, "opset_version": 17} if name in YOLO else {"dynamo": True}
        torch.onnx.export(model, inputs, str(path), external_data=False, verbose=False, **how)


def samples_of(inputs):
    draw = np.random.default_rng(3)
    samples = {}
    for end in inputs:
        shape = (SAMPLES, *end.shape)
        if "float" in end.type:
            samples[end.name] = draw.standard_normal(shape, np.float32)
        elif "mask" in end.name:
            samples[end.name] = np.ones(shape, np.int64)
        else:
            samples[end.name] = draw.integers(0, WORDS, shape)
    return samples


def decibels(wanted, got):
    wanted, got = wanted.astype(np.float64), got.astype(np.float64)
    return 10 * np.log10(max((wanted**2).sum(), 1e-30) / max(((wanted - got) ** 2).sum(), 1e-30))


def run(*arguments):
    subprocess.run([weft, *map(str, arguments)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def examine(name):
    """A line of the table, and whether all is well."""
    model, work = folder / f"{name}.onnx", folder / name
    work.mkdir(parents=True, exist_ok=True)
    if not model.exists():
        export(name, model)
    session = onnxruntime.InferenceSession(str(model))
    samples = samples_of(session.get_inputs())
    wanted = session.run(None, {key: array[0] for key, array in samples.items()})[0]
    np.savez(work / "samples.npz", **{key: array[:, 0] for key, array in samples.items()})
    inputs = []
    for i, array in enumerate(samples.values()):
        np.save(work / f"{i}.npy", array[0])
        inputs += ["--input", work / f"{i}.npy"]
    run("run", model, *inputs, "-o", work / "floats.npy", "--target", "host")
    floats = decibels(wanted, np.load(work / "floats.npy"))
    run("quantize", model, "--data", work / "samples.npz", "-o", work / "int8.weft", "--memory-limit", "8G")
    outputs = []
    for target in ("func", "cycle"):
        run("run", work / "int8.weft", *inputs, "-o", work / f"{target}.npy", "--target", target, "--memory-limit", "8G",
            "--json", work / f"{target}.json")
        outputs.append(np.load(work / f"{target}.npy"))
    figures = json.loads((work / "cycle.json").read_text())
    same = outputs[0].tobytes() == outputs[1].tobytes()
    host = figures["host"]
    line = (f"{name:24} floats {floats:5.1f} dB | {figures['cycles']:>10,} cycles, host {host['operators']:3} operators, "
            f"{100 * host['macs_share']:4.1f} % of MAC, {100 * host['elements_share']:4.1f} % of elements, {decibels(wanted, outputs[1]):5.1f} dB")
    return line + ("" if same else ", OTHER BYTES"), same and floats >= 80


bad = 0
for name in sys.argv[3:] or [*VISION, *TIMM, *TEXT, *YOLO, *SEGMENTATION]:
    try:
        line, good = examine(name)
    except subprocess.CalledProcessError as error:
        line, good = f"{name:24} {error.stderr.strip().splitlines()[-1]}", False
    bad += not good
    print(line, flush=True)
sys.exit(bad > 0)
