"""The map by which the gate's reader looks for what a text concerns, from the same texts as the reader.

Of a person's many beliefs the nearest in words are often not those that a message is about. A linear map of the
message's embedding (`memreview/language/seeker.py`) finds them more often, and when it was tried about as often as a
second encoder of four layers that was trained for nothing else.

`python -m memreview.evaluate.train_seeker` measures it on authors and topics that it has not met.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from memreview.evaluate import train_reader, training_data
from memreview.evaluate.eval_claims import TRAINING
from memreview.evaluate.texts import Texts, halves
from memreview.evaluate.train_reader import Said
from memreview.evaluate.training_data import TEST_VOICE
from memreview.language.embedder import TextEmbedder, load_embedder
from memreview.language.gate_reader import BESIDE
from memreview.language.model_files import embedder_folder
from memreview.language.seeker import Seeker
from memreview.records.entry import Origin

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


def found(said: Sequence[Said], seeker: Seeker, embedder: TextEmbedder, crowd: int) -> tuple[float, float]:
    """Of the changes, scopes and doubts among these, in how many what they concern is one of the four nearest among so
    many beliefs of others: by the embedding alone, and by the seeker."""
    pairs = [
        (one.text, belief.held)
        for one in said
        if one.origin == Origin.USER and len(one.text.split()) <= LONGEST
        for belief in one.own
        if belief.concerned and belief.reading in ("revise", "scope", "ask")
    ]
    beliefs = sorted({belief.held for one in said for belief in one.own})
    order = np.random.default_rng(SEED)
    texts = np.asarray(embedder.encode([text for text, _ in pairs]), np.float32)
    held = np.asarray(embedder.encode(beliefs), np.float32)
    row = {belief: place for place, belief in enumerate(beliefs)}
    places = []
    for vector, (_, concerned) in zip(texts, pairs, strict=True):
        others = order.choice(len(beliefs), min(crowd, len(beliefs)), replace=False)
        others = others[others != row[concerned]]
        for query in (vector, seeker.query(vector)):
            places.append(int((held[others] @ query > held[row[concerned]] @ query).sum()))
    near = (np.array(places).reshape(-1, 2) < BESIDE).mean(axis=0)
    return float(near[0]), float(near[1])


def main() -> None:
    """A seeker from half of the authors, on the other half's texts about topics that are kept for development."""
    embedder = load_embedder(embedder_folder())
    test = Texts.of([TEST_VOICE])
    learned, other = (Texts.of(half, test.topics) for half in halves(training_data.voices(TRAINING)))
    seeker = train(learned.said(embedder), embedder)
    kept = train_reader.of_episodes([one.episode() for one in other.part(development=True).written], SEED)
    for crowd in (12, 50, 150, 500):
        alone, turned = found(kept, seeker, embedder, crowd)
        print(f"among {crowd} beliefs of others: {alone:.2f} by the embedding, {turned:.2f} by the seeker")


if __name__ == "__main__":
    main()
