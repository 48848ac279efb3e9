"""Automatic differentiation with tensors, from `requires_grad` to second derivatives.

    python examples/autograd_tutorial.py

Every line but the import is a line for torch, and prints what it prints there.
"""
import srcgrad.eager as torch

# ---- Tensors that are to be differentiated say so; what is computed from them remembers how.
x = torch.ones(2, 2, requires_grad=True)
y = x + 2
print(x)
print(y)
print("made by", type(y.grad_fn).__name__, "and the leaf by", x.grad_fn)

# ---- backward() goes through that memory and leaves d out / dx in x.grad: here 3 (x + 2)^2 / 4, so 1.5 (x + 2).
z = y * y * 3
out = z.mean()
print(z, out)
out.backward()
print(x.grad)

# ---- A step of a network: one layer and a loss.
inputs = torch.ones(5)
expected = torch.zeros(3)
w = torch.tensor([[0.85, -0.13, 0.12], [0.86, -0.14, 0.13], [0.84, -0.15, 0.11], [0.86, -0.12, 0.13],
                  [0.85, -0.13, 0.13]], requires_grad=True)
b = torch.tensor([0.5, -0.25, 0.125], requires_grad=True)
scores = torch.matmul(inputs, w) + b
loss = torch.nn.functional.binary_cross_entropy_with_logits(scores, expected)
print("scores by", type(scores.grad_fn).__name__, "- loss by", type(loss.grad_fn).__name__)
loss.backward()
print(w.grad)
print(b.grad)

# ---- Gradients add up, until they are zeroed.
torch.nn.functional.binary_cross_entropy_with_logits(torch.matmul(inputs, w) + b, expected).backward()
print("twice:", b.grad)
b.grad.zero_()
print("zeroed:", b.grad)

# ---- The memory is freed once it was used.
try:
    loss.backward()
except RuntimeError as error:
    print(str(error).split(" (")[0])

# ---- Where no gradients are needed, nothing is remembered.
print((torch.matmul(inputs, w) + b).requires_grad)
with torch.no_grad():
    print((torch.matmul(inputs, w) + b).requires_grad)
print((torch.matmul(inputs, w) + b).detach().requires_grad)

# ---- Being differentiated can be switched on later, but only for what comes after.
a = torch.tensor([[0.5, -1.5], [2.0, 0.25]])
a = (a * 3) / (a - 1)
print(a.requires_grad)
a.requires_grad_(True)
total = (a * a).sum()
print(type(total.grad_fn).__name__)

# ---- A loop of Python's: the graph is what was run.
v = torch.tensor([0.75, 1.625, 0.5], requires_grad=True)
grown = v * 2
while grown.data.norm() < 1000:
    grown = grown * 2
print(grown)

# ---- What isn't a scalar needs a vector for the product with the Jacobian.
grown.backward(torch.tensor([0.1, 1.0, 0.0001]))
print(v.grad)

# ---- The graph can be kept; then the products add up as well.
square = torch.eye(3, requires_grad=True)
result = (square + 1).pow(2)
result.backward(torch.ones_like(square), retain_graph=True)
print("first call\n", square.grad)
result.backward(torch.ones_like(square), retain_graph=True)
print("second call\n", square.grad)
square.grad.zero_()
result.backward(torch.ones_like(square))
print("after zeroing\n", square.grad)

# ---- Derivatives of derivatives: the backward pass is recorded too.
t = torch.tensor(2.0, requires_grad=True)
first, = torch.autograd.grad(t ** 3, t, create_graph=True)
second, = torch.autograd.grad(first, t)
print(first.detach(), second)


# ---- An operation of one's own.
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 3

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        return grad_output * 3 * x ** 2


c = torch.tensor([1.0, 2.0], requires_grad=True)
cubed = Cube.apply(c)
print(cubed)
cubed.sum().backward()
print(c.grad)

# ---- Writing into what the backward pass needs is noticed.
p = torch.tensor([1.0, 2.0], requires_grad=True)
q = p.exp()
q += 1
try:
    q.sum().backward()
except RuntimeError as error:
    print(str(error).split(":")[0])
