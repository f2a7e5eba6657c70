"""Models whose graphs ship in `graphs/data/`, in plain torch.

Each function takes no arguments and returns what `opyard export torch` asks
for: `opyard export torch opyard.export.models:resnet50 --out F`.
"""

from opyard.export.models.gnmt import gnmt2, gnmt_tiny
from opyard.export.models.inception_v3 import inception_v3, inception_v3_without_aux
from opyard.export.models.resnet import resnet50, resnet_tiny
from opyard.export.models.vgg import vgg16

__all__ = [
    "gnmt2",
    "gnmt_tiny",
    "inception_v3",
    "inception_v3_without_aux",
    "resnet50",
    "resnet_tiny",
    "vgg16",
]
