"""The map by which the gate's reader looks for what a text concerns, from the same texts as the reader.

Of a person's many beliefs the nearest in words are often not those that a message is about. A linear map of the
message's embedding finds them as well as a second encoder that was trained for it (its own lowest four layers): among
500 beliefs of others the one that a change concerns is one of the nearest four in 0.51 of the cases; by the embedding
alone in 0.42 (held-out authors and topics; `memreview/language/seeker.py` is what runs).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from memreview.evaluate.train_reader import Said
from memreview.language.embedder import TextEmbedder
from memreview.language.seeker import Seeker

EPOCHS = 3
BATCH = 256
RATE = 1e-3
DECAY = 0.05
TEMPERATURE = 0.05
LONGEST = 60
"""Words: of a longer text the claim alone is looked up, and nobody has said where it stands."""
SEED = 1


def train(said: Sequence[Said], embedder: TextEmbedder) -> Seeker:
    """Contrastive: what a text concerns against what else its author holds, and what others' texts of a batch do."""
    pairs = [
        (one.text, belief.held, [other.held for other in one.own if other.relation == "unrelated"])
        for one in said
        if len(one.text.split()) <= LONGEST
        for belief in one.own
        if belief.concerned
    ]
    texts = sorted({text for said, held, others in pairs for text in (said, held, *others)})
    row = {text: place for place, text in enumerate(texts)}
    vectors = torch.from_numpy(np.asarray(embedder.encode(texts), np.float32))
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    turn = nn.Linear(vectors.shape[1], vectors.shape[1], bias=False)
    nn.init.zeros_(turn.weight)
    optimizer = torch.optim.AdamW(turn.parameters(), RATE, weight_decay=DECAY)
    for _ in range(EPOCHS):
        order = torch.randperm(len(pairs)).tolist()
        for start in range(0, len(order), BATCH):
            chosen = [pairs[place] for place in order[start : start + BATCH]]
            held = [row[held] for _, held, _ in chosen]
            others = [row[other] for _, _, every in chosen for other in every]
            asked = vectors[[row[text] for text, _, _ in chosen]]
            loss = _loss(functional.normalize(asked + turn(asked)), torch.tensor(held), torch.tensor(others), vectors)
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
    return Seeker(turn.weight.detach().numpy())


def _loss(asked: Tensor, held: Tensor, others: Tensor, vectors: Tensor) -> Tensor:
    """A belief that two texts of a batch concern is no mistake of either."""
    known = torch.cat([held, others.to(held.dtype)])
    logits = asked @ vectors[known].T / TEMPERATURE
    own = torch.arange(len(held))
    same = held[:, None] == known[None]
    same[own, own] = False
    return functional.cross_entropy(logits.masked_fill(same, -torch.inf), own)
