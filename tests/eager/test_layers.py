"""Layers: recurrent ones, transposed convolutions, other sizes, tables, attention; values of torch's documentation."""
from __future__ import annotations

from typing import Any

import pytest

import srcgrad.eager as torch
from srcgrad.eager import nn
from srcgrad.eager.nn import functional as F
from srcgrad.eager.nn.utils import rnn


def doubles(*shape: int) -> Any:
    return torch.randn(*shape, dtype=torch.float64, requires_grad=True)


@pytest.fixture(autouse=True)
def _seeded() -> None:
    torch.manual_seed(5)


# ---------------------------------------------------------------- recurrent

@pytest.mark.parametrize(("whole", "cell"), [(nn.RNN, nn.RNNCell), (nn.LSTM, nn.LSTMCell), (nn.GRU, nn.GRUCell)])
def test_a_layer_takes_the_steps_of_its_cell(whole: Any, cell: Any) -> None:
    layer, one, x = whole(3, 4), cell(3, 4), torch.randn(5, 2, 3)
    one.load_state_dict({name.removesuffix("_l0"): value for name, value in layer.state_dict().items()})
    state = None
    for row in x:
        state = one(row, state)
    out, last = layer(x)
    hidden, end = (state[0], last[0]) if whole is nn.LSTM else (state, last)
    assert torch.allclose(out[-1], hidden, atol=1e-6) and torch.equal(out[-1], end[0])


def test_layers_directions_and_batches() -> None:
    net, x = nn.GRU(2, 3, 2, bidirectional=True, batch_first=True), torch.randn(2, 4, 2)
    out, last = net(x)
    assert out.shape == (2, 4, 6) and last.shape == (4, 2, 3)
    assert torch.equal(out[:, 0, 3:], last[3]) and torch.equal(out[:, -1, :3], last[2])
    assert torch.allclose(net(x[0])[0], out[0], atol=1e-6)
    assert repr(nn.LSTM(3, 4, 2, dropout=0.2)) == "LSTM(3, 4, num_layers=2, dropout=0.2)"
    assert list(dict(nn.RNN(2, 3).named_parameters())) == ["weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0"]


def test_packed_sequences_go_their_own_lengths() -> None:
    net, x = nn.LSTM(2, 3, 2, bidirectional=True, batch_first=True), torch.randn(3, 4, 2)
    packed = rnn.pack_padded_sequence(x, [2, 4, 1], batch_first=True, enforce_sorted=False)
    assert packed.batch_sizes.tolist() == [3, 2, 1, 1]
    found, (hidden, cell) = net(packed)
    out, sizes = rnn.pad_packed_sequence(found, batch_first=True)
    assert sizes.tolist() == [2, 4, 1]
    for k, n in enumerate(sizes.tolist()):
        alone, (h, c) = net(x[k, :n])
        assert torch.allclose(out[k, :n], alone, atol=1e-6) and not out[k, n:].any()
        assert torch.allclose(hidden[:, k], h, atol=1e-6) and torch.allclose(cell[:, k], c, atol=1e-6)
    padded = rnn.pad_sequence([torch.ones(3), torch.ones(1)], batch_first=True)
    assert padded.tolist() == [[1, 1, 1], [1, 0, 0]]


@pytest.mark.parametrize("layer", [nn.RNN, nn.LSTM, nn.GRU])
def test_gradients_of_recurrent_layers(layer: Any) -> None:
    net = layer(2, 2, bidirectional=True).double()
    assert torch.autograd.gradcheck(lambda t: net(t)[0], (doubles(3, 1, 2),))


def test_recurrent_refusals() -> None:
    net = nn.LSTM(3, 3)
    with pytest.raises(RuntimeError, match=r"input.size\(-1\) must be equal to input_size. Expected 3, got 4"):
        net(torch.ones(5, 2, 4))
    with pytest.raises(RuntimeError, match=r"Expected hidden size \(1, 2, 3\), got \[1, 1, 3\]"):
        net(torch.ones(5, 2, 3), (torch.zeros(1, 1, 3), torch.zeros(1, 1, 3)))
    with pytest.warns(UserWarning, match="dropout option adds dropout after all but last"):
        nn.LSTM(3, 3, dropout=0.5)


# ---------------------------------------------------------------- convolutions and sizes

def test_a_transposed_convolution_is_the_transpose() -> None:
    w, y, z = doubles(3, 4, 3, 3), doubles(1, 3, 4, 4), doubles(1, 4, 7, 7)
    forth = (F.conv_transpose2d(y, w, stride=2, padding=1) * z).sum()
    assert torch.allclose(forth, (F.conv2d(z, w, stride=2, padding=1) * y).sum())
    layer = nn.ConvTranspose2d(2, 2, 3, stride=2, padding=1, output_padding=1, groups=2).double()
    assert repr(layer) == ("ConvTranspose2d(2, 2, kernel_size=(3, 3), stride=(2, 2), padding=(1, 1), "
                           "output_padding=(1, 1), groups=2)")
    assert torch.autograd.gradcheck(layer, (doubles(1, 2, 2, 2),))
    assert torch.autograd.gradcheck(F.conv_transpose1d, (doubles(1, 2, 3), doubles(2, 1, 2), doubles(1)))
    assert torch.autograd.gradcheck(nn.Conv3d(1, 1, 2).double(), (doubles(1, 1, 3, 2, 2),))
    assert nn.ConvTranspose2d(4, 2, (3, 2), 2)(torch.zeros(1, 4, 3, 3), output_size=(8, 7)).shape == (1, 2, 8, 7)


def test_interpolation() -> None:
    x = torch.arange(1.0, 5.0).view(1, 1, 2, 2)
    assert F.interpolate(x, scale_factor=2).tolist()[0][0][1] == [1, 1, 2, 2]
    assert F.interpolate(x, scale_factor=2, mode="bilinear")[0, 0, 1].tolist() == [1.5, 1.75, 2.25, 2.5]
    assert torch.allclose(F.interpolate(x, size=(4, 4), mode="bilinear", align_corners=True)[0, 0, 1],
                          torch.tensor([1.6667, 2.0, 2.3333, 2.6667]), atol=1e-4)
    assert torch.allclose(F.interpolate(x, scale_factor=2, mode="bicubic")[0, 0, 0],
                          torch.tensor([0.6836, 1.0156, 1.5625, 1.8945]), atol=1e-4)
    assert torch.autograd.gradcheck(lambda t: F.interpolate(t, scale_factor=1.5, mode="bicubic"),
                                    (doubles(1, 1, 2, 3),))
    with pytest.raises(NotImplementedError, match="Got 3D input, but bilinear mode needs 4D input"):
        F.interpolate(torch.zeros(1, 1, 2), scale_factor=2, mode="bilinear")


def test_pixels_and_margins() -> None:
    x = torch.arange(8.0).view(1, 4, 1, 2)
    assert F.pixel_shuffle(x, 2).tolist() == [[[[0, 2, 1, 3], [4, 6, 5, 7]]]]
    assert torch.equal(F.pixel_unshuffle(F.pixel_shuffle(x, 2), 2), x)
    assert nn.ZeroPad2d((1, 2, 0, 1))(torch.ones(1, 1, 1, 1)).tolist() == [[[[0, 1, 0, 0], [0, 0, 0, 0]]]]
    assert repr(nn.ConstantPad1d(2, 3.5)) == "ConstantPad1d(padding=(2, 2), value=3.5)"
    image = doubles(1, 1, 4, 4)
    counts = F.fold(F.unfold(torch.ones(1, 1, 4, 4), 2), (4, 4), 2)
    assert torch.allclose(F.fold(F.unfold(image, 2), (4, 4), 2), image * counts)


# ---------------------------------------------------------------- normalisation, dropout, tables, losses

def test_norms_and_dropouts() -> None:
    assert torch.allclose(F.rms_norm(torch.arange(4.0), (4,)), torch.tensor([0.0, 0.5345, 1.0690, 1.6036]), atol=1e-4)
    assert torch.autograd.gradcheck(nn.LocalResponseNorm(2), (doubles(1, 3, 2),))
    assert nn.InstanceNorm2d(3)(torch.randn(2, 3, 4, 4)).mean((2, 3)).abs().max() < 1e-6
    dropped = nn.Dropout2d()(torch.ones(2, 6, 2, 2))
    assert all(len(set(c.flatten().tolist())) == 1 for image in dropped for c in image)
    kept = F.alpha_dropout(torch.randn(50000), 0.3, True)
    assert abs(kept.mean().item()) < 0.03 and abs(kept.std().item() - 1) < 0.03
    assert F.gumbel_softmax(torch.tensor([0.5, 1.0]), hard=True).sum().item() == pytest.approx(1.0)


def test_bags_of_embeddings() -> None:
    table = torch.arange(10.0).view(5, 2)
    bag = nn.EmbeddingBag.from_pretrained(table, mode="sum")
    assert bag(torch.tensor([[0, 1], [2, 2]])).tolist() == [[2, 4], [8, 10]]
    numbers = torch.tensor([1, 2, 4])
    mean = F.embedding_bag(numbers, table, torch.tensor([0, 0]))
    assert torch.allclose(mean, torch.tensor([[0.0, 0.0], [14 / 3, 17 / 3]]))
    assert F.embedding_bag(numbers, table, torch.tensor([0, 2]), mode="max").tolist() == [[4, 5], [8, 9]]
    assert torch.autograd.gradcheck(lambda t: F.embedding_bag(numbers, t, torch.tensor([0, 1]), padding_idx=2),
                                    (doubles(5, 2),))
    short = nn.Embedding(3, 2, max_norm=0.5)
    assert (short(torch.tensor([0, 2])).norm(dim=1) < 0.5001).all() and repr(short) == "Embedding(3, 2, max_norm=0.5)"


def test_losses_of_margins() -> None:
    found = F.multilabel_margin_loss(torch.tensor([[0.1, 0.2, 0.4, 0.8]]), torch.tensor([[3, 0, -1, 1]]))
    assert found.item() == pytest.approx(0.85)
    assert nn.MultiMarginLoss()(torch.tensor([[0.1, 0.2, 0.4, 0.8]]), torch.tensor([3])).item() == pytest.approx(0.325)
    triplet = nn.TripletMarginWithDistanceLoss(distance_function=lambda a, b: (a - b).abs().sum(-1))
    assert triplet(torch.zeros(1, 2), torch.ones(1, 2), torch.full((1, 2), 3.0)).item() == 0.0


# ---------------------------------------------------------------- attention

def test_attention() -> None:
    layer, x = nn.MultiheadAttention(4, 2, batch_first=True), torch.randn(2, 3, 4)
    out, weights = layer(x, x, x)
    q, k, v = F.linear(x, layer.in_proj_weight).reshape(2, 3, 3, 2, 2).permute(2, 0, 3, 1, 4).unbind(0)
    expected = layer.out_proj(F.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2))
    assert torch.allclose(out, expected, atol=1e-6) and torch.allclose(weights.sum(-1), torch.ones(2, 3))
    hidden = layer(x, x, x, attn_mask=torch.ones(3, 3).triu(1).bool())[1]
    assert not hidden.triu(1).any()
    padded = layer(x, x, x, key_padding_mask=torch.tensor([[False, False, True]] * 2))[1]
    assert not padded[:, :, 2].any()


def test_transformers() -> None:
    model = nn.Transformer(4, 2, 1, 1, 8, dropout=0.0)
    src, tgt = torch.randn(3, 2, 4), torch.randn(5, 2, 4)
    mask = model.generate_square_subsequent_mask(5)
    out = model(src, tgt, tgt_mask=mask)
    changed = tgt.clone()
    changed[3:] = 0.0
    assert out.shape == (5, 2, 4) and torch.allclose(out[:3], model(src, changed, tgt_mask=mask)[:3], atol=1e-6)
    layer = nn.TransformerEncoderLayer(4, 2, 8, batch_first=True, norm_first=True, activation="gelu").double().eval()
    assert torch.autograd.gradcheck(layer, (doubles(1, 2, 4),))


# ---------------------------------------------------------------- activations in place

@pytest.mark.parametrize("f", [F.relu, F.leaky_relu, F.elu, F.selu, F.celu, F.silu, F.mish, F.hardtanh, F.relu6,
                               F.hardsigmoid, F.hardswish, F.rrelu,
                               lambda x, inplace: F.threshold(x, 0.1, 0.5, inplace)])
def test_activations_in_place_have_the_same_gradients(f: Any) -> None:
    found = []
    for inplace in (False, True):
        x = torch.tensor([-2.0, -0.3, 0.4, 3.0], requires_grad=True)
        before = x * 1
        y = f(before, inplace=inplace)
        assert (y is before) == inplace
        (y * torch.tensor([1.0, 2.0, 3.0, 4.0])).sum().backward()
        found.append((y.tolist(), x.grad.tolist()))
    assert found[0] == found[1]


def test_a_generator_and_a_discriminator_learn_from_each_other() -> None:
    down = nn.Sequential(nn.Conv2d(1, 4, 4, 2, 1, bias=False), nn.LeakyReLU(0.2, inplace=True),
                         nn.Conv2d(4, 1, 4, 1, 0, bias=False), nn.Sigmoid())
    up = nn.Sequential(nn.ConvTranspose2d(2, 4, 4, 1, 0, bias=False), nn.BatchNorm2d(4), nn.ReLU(True),
                       nn.ConvTranspose2d(4, 1, 4, 2, 1, bias=False), nn.Tanh())
    fake = up(torch.randn(3, 2, 1, 1))
    loss = nn.BCELoss()
    loss(down(fake.detach()).view(-1), torch.zeros(3)).backward()
    assert up[0].weight.grad is None
    loss(down(fake).view(-1), torch.ones(3)).backward()
    assert up[0].weight.grad.abs().sum() > 0
    assert F.elu_(torch.tensor([-1.0])).item() == pytest.approx(-0.6321205)
