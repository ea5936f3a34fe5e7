"""Random models of the end of a detector, TFLite_Detection_PostProcess."""
import numpy as np

from model import Model


def boxes_of(v, model, boxes, encoding, quantized):
    if quantized:
        return model.input("u8", (1, boxes, encoding), v.choice([0.05, 0.1]), v.integer(100, 150))
    return model.input("f32", (1, boxes, encoding))


def custom(v):
    """Overlaps and thresholds of all kinds. Fast suppression fills its outputs: what the reference leaves beyond the boxes that it
    finds is not defined."""
    model = Model()
    boxes, classes = v.integer(1, 60), v.integer(1, 12)
    regular, quantized = v.chance(0.5), v.chance(0.4)
    per_box = 1 if regular or v.chance(0.5) else v.integer(1, classes)
    fits = dict(detections=v.integer(1, 20), threshold=v.choice([0.0, 0.3, 0.6]), overlap=v.choice([0.1, 0.5, 0.6, 1.0]))
    if not regular:
        fits.update(detections=v.integer(1, min(boxes, 20)), threshold=-1e30, overlap=1.0)
    columns = classes + v.integer(0, 1)
    scores = (model.input("u8", (1, boxes, columns), 1 / 256, 0) if quantized else model.input("f32", (1, boxes, columns)))
    anchors = np.concatenate([v.rng.uniform(0, 1, (boxes, 2)), v.rng.uniform(0.1, 0.5, (boxes, 2))], 1)
    if quantized:
        anchor = model.constant(np.round(anchors * 200).astype(np.uint8), 1 / 200, 0)
    else:
        anchor = model.constant(anchors.astype(np.float32))
    encodings = boxes_of(v, model, boxes, v.integer(4, 6), quantized)
    model.inputs.sort()
    options = dict(max_detections=fits["detections"], max_classes_per_detection=per_box, num_classes=classes,
                   nms_score_threshold=float(fits["threshold"]), nms_iou_threshold=fits["overlap"],
                   y_scale=v.choice([1.0, 10.0]), x_scale=10.0, h_scale=v.choice([5.0, 1.5]), w_scale=5.0)
    if regular:
        options.update(use_regular_nms=True, detections_per_class=v.choice([1, 5, 100]))
    model.custom_op("TFLite_Detection_PostProcess", [encodings, scores, anchor],
                    [model.output("f32") for _ in range(4)], **options)
    return model
