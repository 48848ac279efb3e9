"""Functions of torch.nn.functional: activations, losses, layers, pooling, distances.

>>> import srcgrad.eager as torch
>>> torch.nn.functional.relu(torch.tensor([-1.0, 2.0]))
tensor([0., 2.])
"""
from srcgrad.eager.nn.functional_activations import (
    celu,
    celu_,
    elu,
    elu_,
    gelu,
    glu,
    hardshrink,
    hardsigmoid,
    hardswish,
    hardtanh,
    hardtanh_,
    leaky_relu,
    leaky_relu_,
    log_softmax,
    logsigmoid,
    mish,
    prelu,
    relu,
    relu6,
    relu_,
    selu,
    selu_,
    sigmoid,
    silu,
    softmax,
    softmin,
    softplus,
    softshrink,
    softsign,
    tanh,
    tanhshrink,
    threshold,
    threshold_,
)
from srcgrad.eager.nn.functional_classes import cross_entropy, kl_div, nll_loss
from srcgrad.eager.nn.functional_convolution import (
    conv1d,
    conv2d,
    conv3d,
    conv_transpose1d,
    conv_transpose2d,
    fold,
    unfold,
)
from srcgrad.eager.nn.functional_distances import (
    cosine_embedding_loss,
    cosine_similarity,
    gaussian_nll_loss,
    hinge_embedding_loss,
    margin_ranking_loss,
    normalize,
    pairwise_distance,
    poisson_nll_loss,
    triplet_margin_loss,
)
from srcgrad.eager.nn.functional_dropouts import (
    alpha_dropout,
    dropout1d,
    dropout2d,
    dropout3d,
    gumbel_softmax,
    rrelu,
)
from srcgrad.eager.nn.functional_layers import bilinear, dropout, linear, scaled_dot_product_attention
from srcgrad.eager.nn.functional_losses import (
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    huber_loss,
    l1_loss,
    mse_loss,
    smooth_l1_loss,
    soft_margin_loss,
)
from srcgrad.eager.nn.functional_margins import (
    multi_margin_loss,
    multilabel_margin_loss,
    multilabel_soft_margin_loss,
    triplet_margin_with_distance_loss,
)
from srcgrad.eager.nn.functional_normalization import (
    batch_norm,
    group_norm,
    instance_norm,
    layer_norm,
    local_response_norm,
    rms_norm,
)
from srcgrad.eager.nn.functional_pad import pad
from srcgrad.eager.nn.functional_pooling import (
    adaptive_avg_pool1d,
    adaptive_avg_pool2d,
    avg_pool1d,
    avg_pool2d,
    max_pool1d,
    max_pool2d,
)
from srcgrad.eager.nn.functional_resampling import (
    channel_shuffle,
    interpolate,
    pixel_shuffle,
    pixel_unshuffle,
    upsample,
)
from srcgrad.eager.nn.functional_tables import embedding, embedding_bag, one_hot, padding_row
from srcgrad.eager.nn.old_words import accepting_old_words

_LOSSES = """
    binary_cross_entropy binary_cross_entropy_with_logits cosine_embedding_loss cross_entropy
    hinge_embedding_loss kl_div l1_loss margin_ranking_loss mse_loss multi_margin_loss multilabel_margin_loss
    multilabel_soft_margin_loss nll_loss poisson_nll_loss smooth_l1_loss soft_margin_loss triplet_margin_loss
    """.split()
globals().update({name: accepting_old_words(globals()[name]) for name in _LOSSES})

__all__ = ["adaptive_avg_pool1d", "adaptive_avg_pool2d", "alpha_dropout", "avg_pool1d",
           "avg_pool2d", "batch_norm", "bilinear", "binary_cross_entropy", "binary_cross_entropy_with_logits", "celu",
           "celu_", "channel_shuffle", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d",
           "cosine_embedding_loss", "cosine_similarity", "cross_entropy", "dropout", "dropout1d", "dropout2d",
           "dropout3d", "elu", "elu_", "embedding", "embedding_bag", "fold", "gaussian_nll_loss", "gelu", "glu",
           "group_norm", "gumbel_softmax", "hardshrink", "hardsigmoid", "hardswish", "hardtanh", "hardtanh_",
           "hinge_embedding_loss", "huber_loss", "instance_norm", "interpolate", "kl_div", "l1_loss", "layer_norm",
           "leaky_relu", "leaky_relu_", "linear", "local_response_norm", "log_softmax", "logsigmoid",
           "margin_ranking_loss", "max_pool1d", "max_pool2d", "mish", "mse_loss", "multi_margin_loss",
           "multilabel_margin_loss", "multilabel_soft_margin_loss", "nll_loss", "normalize", "one_hot", "pad",
           "padding_row", "pairwise_distance", "pixel_shuffle", "pixel_unshuffle", "poisson_nll_loss", "prelu", "relu",
           "relu6", "relu_", "rms_norm", "rrelu", "scaled_dot_product_attention", "selu", "selu_", "sigmoid", "silu",
           "smooth_l1_loss", "soft_margin_loss", "softmax", "softmin", "softplus", "softshrink", "softsign", "tanh",
           "tanhshrink", "threshold", "threshold_", "triplet_margin_loss", "triplet_margin_with_distance_loss",
           "unfold", "upsample"]
