"""Small neural networks."""
import numpy as np

from corpus.registry import mat, program, vec


def softmax(z):
    e = np.exp(z - np.max(z, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


def layer_norm(x, gain):
    mean = np.mean(x, axis=-1, keepdims=True)
    var = np.mean((x - mean) ** 2, axis=-1, keepdims=True)
    return gain * (x - mean) / np.sqrt(var + 0.1)


@program(inputs=[(mat(3, 2), mat(2, 4, 1), mat(4, 1, 2)), (mat(1, 1, 3), mat(1, 1, 4), mat(1, 1, 5))], wrt=(1, 2))
def two_layer_network(X, W1, W2):
    h = X @ W1
    h[h < 0.0] = 0.0
    out = h @ W2
    out += np.sum(h, axis=1, keepdims=True) * 0.1
    target = np.sum(X, axis=1, keepdims=True)
    for p in range(2):
        out = out - 0.1 * (out - target) ** (p + 1)
    return np.mean((out - target) ** 2)


@program(inputs=[(mat(3, 2), mat(2, 2, 1), mat(2, 2, 2)), (mat(1, 1, 3), mat(1, 1, 4), mat(1, 1, 5)),
                 (mat(0, 2), mat(2, 2, 1), mat(2, 2, 2))], wrt=(1, 2))
def recurrent_network(inputs, Wx, Wh):
    h = np.zeros(Wh.shape[0])
    loss = 0.01 * np.sum(Wh * Wh) + 0.01 * np.sum(Wx)
    for x in inputs:
        z = x @ Wx + h @ Wh
        h = np.tanh(z) if np.sum(z) > 0.0 else 0.5 * z
        loss += np.sum((h - 0.3) ** 2)
        if loss > 0.5:
            loss = 0.5 + np.log(loss + 0.5)
    return loss


@program(inputs=[(mat(3, 2), mat(4, 8, 1), vec(8, 2)), (mat(1, 1, 3), mat(2, 4, 4), vec(4, 5))], wrt=(0, 1, 2))
def lstm(sequence, W, b):
    hidden = len(b) // 4
    h = np.zeros(hidden)
    c = np.zeros(hidden)
    outputs = []
    for t in range(len(sequence)):
        z = np.concatenate([sequence[t], h]) @ W + b
        i, f, o, g = np.split(z, 4)
        i, f, o = 1.0 / (1.0 + np.exp(-i)), 1.0 / (1.0 + np.exp(-f)), 1.0 / (1.0 + np.exp(-o))
        c = f * c + i * np.tanh(g)
        h = o * np.tanh(c)
        outputs.append(h)
    total = 0.0
    weight = 1.0
    while weight > 0.2:
        total += weight * np.sum(outputs[-1] ** 2)
        weight *= 0.5
    return total + np.sum(np.array(outputs))


@program(inputs=[(mat(3, 4), 2, True), (mat(1, 2, 1), 1, False)])
def causal_attention(x, heads, causal):
    n, d = x.shape
    size = d // heads
    out = np.zeros((n, d))
    for h in range(heads):
        part = x[:, h * size:(h + 1) * size]
        scores = part @ part.T / np.sqrt(size)
        if causal:
            for i in range(n):
                scores[i, i + 1:] = -30.0
        out[:, h * size:(h + 1) * size] = softmax(scores) @ part
    return np.sum(layer_norm(out, 0.7) ** 2) + np.sum(out * x)


@program(inputs=[(mat(5, 2), mat(2, 3, 1), 2), (mat(1, 2, 2), mat(2, 1, 3), 1)], wrt=(0, 1))
def convolution_and_pooling(x, kernel, pool):
    width = kernel.shape[1]
    length = x.shape[0] - width + 1
    features = np.zeros(length)
    for t in range(length):
        features[t] = np.sum(x[t:t + width].T * kernel)
    features = np.log1p(np.exp(features))
    pooled = []
    for t in range(0, length, pool):
        pooled.append(np.mean(features[t:t + pool]) ** 2)
    return np.sum(np.stack(pooled)) * pooled[0]


@program(inputs=[(vec(3), mat(3, 3, 1), 3, 0.1), (vec(1, 1), mat(1, 1, 2), 2, 0.4)], wrt=(0, 1))
def residual_blocks(x, W, depth, rate):
    h = x
    for k in range(depth):
        skip = h
        h = layer_norm(h @ W, 1.0 + k)
        if k % 2 == 1:
            h = np.maximum(h, rate * h)
        h += skip
    y = h
    y -= rate * x
    return np.sum(np.abs(y) ** 1.5)


@program(inputs=[(mat(2, 2), mat(3, 2, 1), 3, 0.9), (mat(1, 1, 2), mat(2, 1, 3), 1, 0.5)], wrt=(0, 1))
def momentum_descent(W, data, epochs, momentum):
    velocity = np.zeros_like(W)
    W = W.copy()
    for epoch in range(epochs):
        for sample in data:
            y = np.tanh(W @ sample)
            grad = np.outer((y - sample) * (1.0 - y * y), sample)
            velocity *= momentum
            velocity -= 0.1 * grad
            W += velocity
        if epoch == 1:
            momentum = momentum * 0.5
    return np.sum(W * W) + np.sum(velocity) ** 2


@program(inputs=[(mat(4, 3), [1, 0, 3]), (mat(2, 1, 1), [0]), (mat(2, 2, 1), [])])
def embedding_lookup(table, tokens):
    bag = np.zeros(table.shape[1])
    norm = 1.0
    for t in tokens:
        bag += table[t]
        for u in tokens:
            if u < t:
                bag -= 0.1 * table[u] * table[t]
        norm += 1.0
    bag /= norm
    bag = bag if norm > 1.0 else table[0]
    return np.sum(bag ** 2) + np.sum(table[-1] * bag)
