"""Episodes in which more is held, as a real ledger holds hundreds of beliefs and not the few that a case names.

`python -m memreview.evaluate.crowd IN.jsonl OUT.jsonl SIZE` writes such cases of `memreview eval gate`.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import numpy as np

from memreview.evaluate import gate_cases
from memreview.evaluate.gate_cases import Episode, ProfileNode
from memreview.language.embedder import FloatArray, TextEmbedder, load_embedder
from memreview.language.model_files import embedder_folder

ALIKE = 0.5
"""What is as near to a person's own belief or words, in cosine, may well be concerned by what concerns these."""


def crowded(episodes: Sequence[Episode], sizes: Sequence[int], embedder: TextEmbedder, seed: int) -> list[Episode]:
    """Beside what each holds, so many claims of other users as one of `sizes` says, none as near as `ALIKE` to its own:
    nobody holds two beliefs on one matter."""
    order = random.Random(seed)
    nodes = [(episode.user_id, node) for episode in episodes for node in episode.profile]
    claims = sorted({node.claim for _, node in nodes})
    vectors = dict(zip(claims, embedder.encode(claims), strict=True))
    return [_crowded(episode, order.choice(sizes), nodes, vectors, order) for episode in episodes]


def _crowded(
    episode: Episode,
    size: int,
    nodes: Sequence[tuple[str, ProfileNode]],
    vectors: dict[str, FloatArray],
    order: random.Random,
) -> Episode:
    if not size or not episode.profile:
        return episode
    own = np.stack([vectors[node.claim] for node in episode.profile])

    def strangers() -> Iterator[ProfileNode]:
        for user, node in order.sample(nodes, min(len(nodes), 3 * size)):
            if user != episode.user_id and float((own @ vectors[node.claim]).max()) < ALIKE:
                yield node

    earliest = min(node.written_at for node in episode.profile)
    others = [
        msgspec.structs.replace(node, node_id=f"other-{place}", written_at=min(node.written_at, earliest))
        for place, node in enumerate(strangers(), 1)
    ]
    return msgspec.structs.replace(episode, profile=(*episode.profile, *others[:size]))


def main(arguments: Sequence[str]) -> None:
    source, target, size = arguments
    episodes, problems = gate_cases.read(Path(source))
    print("\n".join(problems), end="")
    gate_cases.write(Path(target), crowded(episodes, [int(size)], load_embedder(embedder_folder()), 0))


if __name__ == "__main__":
    main(sys.argv[1:])
