"""Writes models with tf2onnx: a program for an interpreter with tensorflow; its argument is a folder."""

import sys

import numpy as np
import tensorflow as tf
import tf2onnx

folder = sys.argv[1]
layers, strings, Spec = tf.keras.layers, tf.strings, tf.TensorSpec
texts = np.array(["to be or not", "a fine film", "", "so dull é"])
numbers = np.array([1, -5, 10**12])
ids = np.random.default_rng(0).integers(0, 50, (4, 9)).astype(np.int32)
contrib = [tf2onnx.utils.make_opsetid("ai.onnx.contrib", 1)]


def write(name, function, given=texts, extra=None):
    arguments = tf.constant(given)
    want = np.asarray(function(arguments))
    spec = [Spec([None] * given.ndim, arguments.dtype)]
    model, _ = tf2onnx.convert.from_function(
        tf.function(function, input_signature=spec), input_signature=spec, opset=18, extra_opset=extra
    )
    with open(f"{folder}/{name}.onnx", "wb") as file:
        file.write(model.SerializeToString())
    want = np.char.decode(want.astype(bytes), "utf-8") if want.dtype == object else want
    np.savez(f"{folder}/{name}.npz", given=given, want=want)


def write_layers(name, *parts, mask=False):
    tf.random.set_seed(1)
    model = tf.keras.Sequential([layers.Embedding(50, 8, mask_zero=mask), *parts])
    model(ids)
    write(name, lambda x: model(x), ids)


def table():
    keys, values = tf.constant(["to be or not", "a fine film"]), tf.constant([3, 7], tf.int64)
    return tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(keys, values), -1)


write("lower", strings.lower)
write("lower_extension", strings.lower, extra=contrib)
write("join", lambda x: strings.join([x, x], separator="-"))
write("join_extension", lambda x: strings.join([x, x], separator="-"), extra=contrib)
write("equal", lambda x: tf.equal(x, "a fine film"))
write("gather", lambda x: tf.gather(x, [2, 0]))
write("where", lambda x: tf.where(tf.equal(x, ""), tf.constant("none"), x))
write("concat", lambda x: tf.concat([x, x], 0)[::-1])
write("reshape", lambda x: tf.transpose(tf.reshape(x, [2, -1])))
write("as_string", strings.as_string, numbers)
write("to_number", strings.to_number, np.array(["1.5", "2"]))
write("unique", lambda x: tf.unique(x)[0])
write("regex", lambda x: strings.regex_replace(x, "[aeiou]", ""), extra=contrib)
write("split", lambda x: strings.split(x).to_tensor(), extra=contrib)
write("hash", lambda x: strings.to_hash_bucket_fast(x, 100), extra=contrib)
for name, layer in (
    ("lookup", table()),
    ("string_lookup", layers.StringLookup(vocabulary=["to be or not", "a fine film"])),
    ("vectorization", layers.TextVectorization(max_tokens=30, output_sequence_length=6)),
):
    if name == "vectorization":
        layer.adapt(texts)
    try:
        write(name, layer.lookup if name == "lookup" else layer, extra=contrib)
    except Exception as error:
        print(f"{name}: not written: {type(error).__name__}: {str(error)[:100]}")
dense = layers.Dense
write_layers("bag", layers.GlobalAveragePooling1D(), dense(16, activation="relu"), dense(3, activation="softmax"))
write_layers("lstm", layers.LSTM(6), dense(3))
write_layers("lstm_mask", layers.LSTM(6), dense(3), mask=True)
both = layers.Bidirectional(layers.LSTM(6, return_sequences=True))
write_layers("lstm_both", both, layers.LSTM(4), dense(3))
write_layers("gru", layers.GRU(6), dense(3))
both = layers.Bidirectional(layers.GRU(6, return_sequences=True))
write_layers("gru_both", both, layers.GRU(5, reset_after=False), dense(2))
write_layers("rnn", layers.SimpleRNN(6), dense(3))
convolution = (
    layers.Conv1D(7, 3, activation="relu", padding="same"),
    layers.MaxPooling1D(2),
    layers.Conv1D(5, 2),
)
write_layers("convolution", *convolution, layers.GlobalMaxPooling1D(), dense(3, activation="sigmoid"))
normal = layers.LayerNormalization(), dense(5, activation="gelu"), layers.GlobalMaxPooling1D()
write_layers("normalization", *normal, layers.BatchNormalization(), dense(2, activation="tanh"))
given = tf.keras.Input([None], dtype="int32")
embedded = layers.Embedding(50, 8)(given)
attended = layers.LayerNormalization()(embedded + layers.MultiHeadAttention(2, 4)(embedded, embedded))
attention = tf.keras.Model(given, dense(3)(layers.GlobalAveragePooling1D()(attended)))
write("attention", lambda x: attention(x), ids)
