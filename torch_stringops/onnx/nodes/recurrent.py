"""LSTM, GRU and RNN.

The usual forms are torch's own layers, with the gates in torch's order. Others (lengths of sequences, peepholes, other
activations, a GRU whose reset gate comes before the product) are a loop over the steps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from torch_stringops.onnx._registry import is_static, operator
from torch_stringops.onnx.nodes.control import repeat, row

Activation = Callable[[Tensor], Tensor]


def _activation(name: str, alpha: float | None, beta: float | None) -> Activation:
    a = {"leakyrelu": 0.01, "thresholdedrelu": 1.0, "elu": 1.0, "hardsigmoid": 0.2, "affine": 1.0}.get(name.lower())
    a = alpha if alpha is not None else 1.0 if a is None else a
    b = beta if beta is not None else {"hardsigmoid": 0.5}.get(name.lower(), 0.0)
    known: dict[str, Activation] = {
        "relu": torch.relu,
        "tanh": torch.tanh,
        "sigmoid": torch.sigmoid,
        "affine": lambda x: a * x + b,
        "leakyrelu": lambda x: functional.leaky_relu(x, a),
        "thresholdedrelu": lambda x: torch.where(x > a, x, 0.0),
        "scaledtanh": lambda x: a * torch.tanh((1.0 if beta is None else beta) * x),
        "hardsigmoid": lambda x: torch.clamp(a * x + b, 0, 1),
        "elu": lambda x: functional.elu(x, a),
        "softsign": functional.softsign,
        "softplus": functional.softplus,
    }
    if name.lower() not in known:
        raise ValueError(f"expected an activation of ONNX, got {name!r}")
    return known[name.lower()]


def _activations(
    names: list[str] | None,
    alphas: list[float] | None,
    betas: list[float] | None,
    default: list[str],
    count: int,
) -> list[list[Activation]]:
    """The activations of each direction. Each function that has parameters takes the next of the lists."""
    names = (names or default * count)[: len(default) * count]  # RNN's default is for two directions
    if len(names) != len(default) * count:
        raise ValueError(f"expected {len(default) * count} activations, got {len(names)}")
    alphas, betas = list(alphas or []), list(betas or [])
    made = [
        _activation(name, alphas[i] if i < len(alphas) else None, betas[i] if i < len(betas) else None)
        for i, name in enumerate(names)
    ]
    return [made[i : i + len(default)] for i in range(0, len(made), len(default))]


def _blocks(t: Tensor, order: list[int]) -> Tensor:
    """Reorders the blocks of the gates along the first axis."""
    blocks = t.chunk(len(order))
    return torch.cat([blocks[i] for i in order])


def _directions(direction: str) -> int:
    if direction not in ("forward", "reverse", "bidirectional"):
        raise ValueError(f"expected `direction` forward, reverse or bidirectional, got {direction!r}")
    return 2 if direction == "bidirectional" else 1


Step = Callable[[Tensor, tuple[Tensor, ...]], tuple[Tensor, ...]]


def _advance(
    step: Step, x: Tensor, state: tuple[Tensor, ...], inside: Tensor | None
) -> tuple[Tensor, tuple[Tensor, ...]]:
    """Runs a step. A sequence that is not `inside` its length keeps its state, and its output is zero."""
    new = step(x, state)
    if inside is None:
        return new[0], new
    kept = tuple(torch.where(inside, n, s) for n, s in zip(new, state, strict=True))
    return torch.where(inside, new[0], 0.0), kept


def _loop(
    x: Tensor, state: tuple[Tensor, ...], step: Step, lengths: Tensor | None, reverse: bool
) -> tuple[Tensor, list[Tensor]]:
    """Runs the steps of one direction."""

    def advance(i: Any, count: Any, state: Sequence[Tensor]) -> tuple[None, Sequence[Tensor], list[Tensor]]:
        t = count - 1 - i if reverse else i
        inside = None if lengths is None else (lengths > t).unsqueeze(1)
        output, new = _advance(step, row(x, 0, t), tuple(state), inside)
        return None, new, [output]

    last, (outputs,) = repeat(advance, x.shape[0], None, state, [state[0]])
    return outputs.flip(0) if reverse else outputs, last


def _run(
    x: Tensor,
    states: tuple[Tensor | None, ...],
    hidden_size: int,
    steps: list[Step],
    lengths: Tensor | None,
    direction: str,
) -> tuple[Tensor, ...]:
    """Runs all directions. `states` are `[directions, batch, hidden]` each."""
    found = [x.new_zeros(len(steps), x.shape[1], hidden_size) if state is None else state for state in states]
    for initial in found:  # sizes that depend on data are known from here on
        torch._check(initial.shape[1] == x.shape[1])
        torch._check(initial.shape[2] == hidden_size)
    outputs, last = [], []
    for i, step in enumerate(steps):
        backwards = direction == "reverse" or i == 1
        y, state = _loop(x, tuple(s[i] for s in found), step, lengths, backwards)
        outputs.append(y)
        last.append(state)
    return torch.stack(outputs, 1), *(torch.stack(parts) for parts in zip(*last, strict=True))


def _layer(
    layer: Callable[..., Any], x: Tensor, states: Any, weights: list[Tensor], direction: str
) -> tuple[Tensor, ...]:
    """A layer of torch. A single reversed direction runs on reversed steps."""
    both = direction == "bidirectional"
    run = x.flip(0) if direction == "reverse" else x
    y, *last = layer(run, states, weights, True, 1, 0.0, False, both, False)
    y = y.flip(0) if direction == "reverse" else y
    return y.reshape(y.shape[0], y.shape[1], 2 if both else 1, -1).transpose(1, 2), *last


def _weights(w: Tensor, r: Tensor, b: Tensor | None, order: list[int], i: int) -> list[Tensor]:
    """The weights of direction `i` as torch has them."""
    size = r.shape[1]
    biases = r.new_zeros(2 * size) if b is None else b[i]
    given = [w[i], r[i], biases[:size], biases[size:]]
    return [_blocks(t, order) for t in given]


def _batch_first(layout: int, *tensors: Tensor | None) -> list[Any]:
    return [t if t is None or not layout else t.transpose(0, 1) for t in tensors]


def _laid_out(layout: int, y: Tensor, *last: Tensor) -> tuple[Tensor, ...]:
    """With layout 1, `[batch, steps, directions, hidden]` and `[batch, directions, hidden]`."""
    if not layout:
        return y, *last
    return y.permute(2, 0, 1, 3), *(t.transpose(0, 1) for t in last)


@operator("LSTM")
def lstm(
    x: Tensor,
    w: Tensor,
    r: Tensor,
    b: Tensor | None = None,
    sequence_lens: Tensor | None = None,
    initial_h: Tensor | None = None,
    initial_c: Tensor | None = None,
    p: Tensor | None = None,
    *,
    hidden_size: int | None = None,
    activations: list[str] | None = None,
    activation_alpha: list[float] | None = None,
    activation_beta: list[float] | None = None,
    clip: float | None = None,
    direction: str = "forward",
    input_forget: int = 0,
    layout: int = 0,
    output_sequence: int = 0,
) -> tuple[Tensor, ...]:
    """The gates are input, output, forget, cell; in torch input, forget, cell, output."""
    x, initial_h, initial_c = _batch_first(layout, x, initial_h, initial_c)
    count, size = _directions(direction), r.shape[-1]
    usual = ["Sigmoid", "Tanh", "Tanh"]
    plain = activations in (None, usual * count) and p is None and clip is None and not input_forget
    if plain and sequence_lens is None and is_static(x.shape[0]):
        weights = [t for i in range(count) for t in _weights(w, r, b, [0, 2, 3, 1], i)]
        zeros = x.new_zeros(count, x.shape[1], size)
        states = [zeros if s is None else s for s in (initial_h, initial_c)]
        return _laid_out(layout, *_layer(torch.lstm, x, states, weights, direction))
    made = _activations(activations, activation_alpha, activation_beta, usual, count)

    def step_of(i: int) -> Step:
        wi, ri, wb, rb = _weights(w, r, b, [0, 1, 2, 3], i)
        f, g, h = made[i]
        peep = [x.new_zeros(size)] * 3 if p is None else list(p[i].chunk(3))

        def step(xt: Tensor, state: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
            hidden, cell = state
            gates = functional.linear(xt, wi, wb) + functional.linear(hidden, ri, rb)
            a, o, e, c = (t if clip is None else t.clamp(-clip, clip) for t in gates.chunk(4, -1))
            into = f(a + peep[0] * cell)
            kept = 1 - into if input_forget else f(e + peep[2] * cell)
            cell = kept * cell + into * g(c)
            return f(o + peep[1] * cell) * h(cell), cell

        return step

    steps = [step_of(i) for i in range(count)]
    return _laid_out(layout, *_run(x, (initial_h, initial_c), size, steps, sequence_lens, direction))


@operator("GRU")
def gru(
    x: Tensor,
    w: Tensor,
    r: Tensor,
    b: Tensor | None = None,
    sequence_lens: Tensor | None = None,
    initial_h: Tensor | None = None,
    *,
    hidden_size: int | None = None,
    activations: list[str] | None = None,
    activation_alpha: list[float] | None = None,
    activation_beta: list[float] | None = None,
    clip: float | None = None,
    direction: str = "forward",
    layout: int = 0,
    linear_before_reset: int = 0,
    output_sequence: int = 0,
) -> tuple[Tensor, ...]:
    """The gates are update, reset, hidden; in torch reset, update, hidden."""
    x, initial_h = _batch_first(layout, x, initial_h)
    count, size = _directions(direction), r.shape[-1]
    usual = ["Sigmoid", "Tanh"]
    plain = activations in (None, usual * count) and clip is None and bool(linear_before_reset)
    if plain and sequence_lens is None and is_static(x.shape[0]):
        weights = [t for i in range(count) for t in _weights(w, r, b, [1, 0, 2], i)]
        state = x.new_zeros(count, x.shape[1], size) if initial_h is None else initial_h
        return _laid_out(layout, *_layer(torch.gru, x, state, weights, direction))
    made = _activations(activations, activation_alpha, activation_beta, usual, count)

    def step_of(i: int) -> Step:
        wi, ri, wb, rb = _weights(w, r, b, [0, 1, 2], i)
        f, g = made[i]

        def step(xt: Tensor, state: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
            (hidden,) = state
            of_x = functional.linear(xt, wi, wb).chunk(3, -1)
            of_h = functional.linear(hidden, ri[: 2 * size], rb[: 2 * size]).chunk(2, -1)
            update, reset = f(of_x[0] + of_h[0]), f(of_x[1] + of_h[1])
            if linear_before_reset:
                last = reset * functional.linear(hidden, ri[2 * size :], rb[2 * size :])
            else:
                last = functional.linear(reset * hidden, ri[2 * size :], rb[2 * size :])
            new = of_x[2] + last
            new = g(new if clip is None else new.clamp(-clip, clip))
            return ((1 - update) * new + update * hidden,)

        return step

    steps = [step_of(i) for i in range(count)]
    return _laid_out(layout, *_run(x, (initial_h,), size, steps, sequence_lens, direction))


@operator("RNN")
def rnn(
    x: Tensor,
    w: Tensor,
    r: Tensor,
    b: Tensor | None = None,
    sequence_lens: Tensor | None = None,
    initial_h: Tensor | None = None,
    *,
    hidden_size: int | None = None,
    activations: list[str] | None = None,
    activation_alpha: list[float] | None = None,
    activation_beta: list[float] | None = None,
    clip: float | None = None,
    direction: str = "forward",
    layout: int = 0,
    output_sequence: int = 0,
) -> tuple[Tensor, ...]:
    x, initial_h = _batch_first(layout, x, initial_h)
    count, size = _directions(direction), r.shape[-1]
    usual = activations is None or activations[:count] == ["Tanh"] * count
    if usual and clip is None and sequence_lens is None and is_static(x.shape[0]):
        weights = [t for i in range(count) for t in _weights(w, r, b, [0], i)]
        state = x.new_zeros(count, x.shape[1], size) if initial_h is None else initial_h
        return _laid_out(layout, *_layer(torch.rnn_tanh, x, state, weights, direction))
    made = _activations(activations, activation_alpha, activation_beta, ["Tanh"], count)

    def step_of(i: int) -> Step:
        wi, ri, wb, rb = _weights(w, r, b, [0], i)

        def step(xt: Tensor, state: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
            new = functional.linear(xt, wi, wb) + functional.linear(state[0], ri, rb)
            return (made[i][0](new if clip is None else new.clamp(-clip, clip)),)

        return step

    steps = [step_of(i) for i in range(count)]
    return _laid_out(layout, *_run(x, (initial_h,), size, steps, sequence_lens, direction))
