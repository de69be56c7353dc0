"""ONNX: models with strings, exported for onnxruntime and read as modules. Needs the extra `onnx`."""
