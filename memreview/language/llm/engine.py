"""One GGUF file in llama.cpp, on its plain C interface. Only the model's own process imports this.

The KV state of what the last talk and this one share is kept, so a job's instructions and examples are read once.
"""

from __future__ import annotations

import ctypes
import os
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import llama_cpp.llama_cpp as llama
import msgspec
import numpy as np
from numpy.typing import NDArray

from memreview.language.llm import form
from memreview.language.llm.chat import ChatTemplate, Part
from memreview.language.llm.model import (
    BadAnswer,
    Message,
    MissingToken,
    PromptTooLong,
    TemplateUnusable,
    UnmeetableSchema,
)
from memreview.language.onnx_model import ModelUnavailable

MAX_CONTEXT = 4096
"""More would cost memory that no job here has a use for."""
_BATCH = 512
_FEW = 128
_ABORTED = 2  # llama_decode's own word for it
_CONTROL = llama.LLAMA_TOKEN_ATTR_CONTROL | llama.LLAMA_TOKEN_ATTR_USER_DEFINED
_REASONS = (
    ("invalid magic", "is not a GGUF file"),
    ("failed to read magic", "is not a GGUF file"),
    ("not within the file bounds", "is incomplete: it was not copied or downloaded to its end"),
    ("unknown model architecture", "is of an architecture that this llama.cpp does not know"),
    ("failed to allocate", "needs more memory than there is"),
    ("unable to allocate", "needs more memory than there is"),
    ("failed to read", "is incomplete: it was not copied or downloaded to its end"),
    ("unexpectedly reached end of file", "is incomplete: it was not copied or downloaded to its end"),
)


class Stopped(Exception):
    """The person cancelled."""


class Loaded(msgspec.Struct, frozen=True):
    """What a file turned out to hold."""

    name: str
    architecture: str
    parameters: int
    context: int


class Written(msgspec.Struct, frozen=True):
    """`reused`: how many of the prompt's tokens were in the KV state already."""

    text: str
    prompt: int
    reused: int
    tokens: int


class Engine:
    """`stopped` is asked while a model computes; True ends it and clears the KV state."""

    def __init__(self, path: Path, threads: int) -> None:
        """Raises `ModelUnavailable`."""
        self.stopped: Callable[[], bool] = lambda: False
        self._log = _Log()
        llama.llama_backend_init()
        self._model = llama.llama_model_load_from_file(os.fsencode(path), llama.llama_model_default_params())
        if not self._model:
            raise ModelUnavailable(f"The file {path.name} {self._log.reason()}.")
        self._vocab = llama.llama_model_get_vocab(self._model)
        self._size = llama.llama_vocab_n_tokens(self._vocab)
        self._template = self._chat_template(path)
        self._context = self._new_context(path, threads)
        self._memory = llama.llama_get_memory(self._context)
        self._abort = llama.ggml_abort_callback(lambda _: self.stopped())
        llama.llama_set_abort_callback(self._context, self._abort, None)
        self._read: list[int] = []  # the tokens whose KV state is held
        self.loaded = Loaded(
            self._meta("general.name") or path.stem,
            self._meta("general.architecture"),
            llama.llama_model_n_params(self._model),
            llama.llama_n_ctx(self._context),
        )

    # -- requests -----------------------------------------------------------------------------------------------

    def write(self, talk: Sequence[Message], schema: form.Schema, max_tokens: int) -> Written:
        """The likeliest answer that the schema allows. Raises `ModelUnavailable`, `Stopped`."""
        prompt = self._prompt(talk, max_tokens)
        grammar = _Grammar(self._vocab, form.grammar(schema))
        try:
            reused = self._feed(prompt)
            written: list[int] = []
            while not llama.llama_vocab_is_eog(self._vocab, token := grammar.choose(self._logits())):
                written.append(token)
                if len(written) == max_tokens:
                    raise BadAnswer(f"The model's answer did not end within {max_tokens} tokens.")
                self._decode([token])
        finally:
            grammar.close()
        return Written(self._text(written), len(prompt), reused, len(written))

    def log_probabilities(self, talk: Sequence[Message], choices: Sequence[str]) -> list[float]:
        """Raises `ModelUnavailable`, `Stopped`."""
        tokens = [self._tokens(choice, special=False) for choice in choices]
        if any(len(found) != 1 for found in tokens) or len({found[0] for found in tokens}) != len(choices):
            raise MissingToken("This model has no tokens of their own for the words of a verdict.")
        self._feed(self._prompt(talk, 1))
        logits = self._logits().astype(np.float64)
        total = np.logaddexp.reduce(logits)
        return [float(logits[found[0]] - total) for found in tokens]

    # -- reading ------------------------------------------------------------------------------------------------

    def _prompt(self, talk: Sequence[Message], max_tokens: int) -> list[int]:
        parts = self._template.parts(talk)
        markers = self._markers([text for text, own in parts if own])
        tokens = [token for part in parts for token in self._part(part, markers)]
        bos = llama.llama_vocab_bos(self._vocab)
        if llama.llama_vocab_get_add_bos(self._vocab) and tokens[:1] != [bos]:
            tokens.insert(0, bos)
        room = self.loaded.context - max_tokens
        if len(tokens) > room:
            raise PromptTooLong(
                f"The text is too long for this model: {len(tokens):,} tokens, where {room:,} have room."
            )
        return tokens

    def _part(self, part: Part, markers: dict[int, str]) -> list[int]:
        """The tokens of the template's own words, or of a content: without any that the template speaks with. Most
        vocabularies keep them out when asked to, but not those that declare them as words of the language."""
        text, own = part
        tokens = self._tokens(text, special=own)
        if own or (token := next((token for token in tokens if token in markers), None)) is None:
            return tokens
        before, marker, after = text.partition(markers[token])
        if not marker or len(marker) < 2:
            return [token for token in tokens if token not in markers]
        return [
            *self._part((before + marker[0], False), markers),
            *self._part((marker[1:] + after, False), markers),
        ]

    def _markers(self, texts: Sequence[str]) -> dict[int, str]:
        """The tokens by which the template tells who speaks."""
        found = {token for text in texts for token in self._tokens(text, special=True)}
        names = {token: self._piece(token, special=True).decode("utf-8", "replace") for token in found
                 if llama.llama_vocab_get_attr(self._vocab, token) & _CONTROL}  # fmt: skip
        return {token: name for token, name in names.items() if name.strip()}

    def _feed(self, tokens: Sequence[int]) -> int:
        """Bring the KV state to these tokens; returns how many it held. The last is always read: it gives logits."""
        same = 0
        for held, wanted in zip(self._read, tokens[:-1], strict=False):
            if held != wanted:
                break
            same += 1
        if not llama.llama_memory_seq_rm(self._memory, 0, same, -1):
            llama.llama_memory_clear(self._memory, True)  # recurrent models can't forget a part
            same = 0
        self._read = self._read[:same]
        for start in range(same, len(tokens), _BATCH):
            self._decode(tokens[start : start + _BATCH])
        return same

    def _decode(self, tokens: Sequence[int]) -> None:
        array = (llama.llama_token * len(tokens))(*tokens)
        if code := llama.llama_decode(self._context, llama.llama_batch_get_one(array, len(tokens))):
            llama.llama_memory_clear(self._memory, True)
            self._read = []
            if code == _ABORTED:
                raise Stopped
            raise ModelUnavailable("llama.cpp could not compute an answer; memory may have run out.")
        self._read += tokens

    def _logits(self) -> NDArray[np.float32]:
        """(tokens of the vocabulary,), a view that the next decoding overwrites."""
        return np.ctypeslib.as_array(llama.llama_get_logits_ith(self._context, -1), (self._size,))

    # -- text ---------------------------------------------------------------------------------------------------

    def _tokens(self, text: str, *, special: bool) -> list[int]:
        raw = text.encode()
        room = len(raw) + 8
        array = (llama.llama_token * room)()
        count = llama.llama_tokenize(self._vocab, raw, len(raw), array, room, False, special)
        return list(array[:count])

    def _text(self, tokens: Sequence[int]) -> str:
        return b"".join(self._piece(token, special=False) for token in tokens).decode("utf-8", "replace")

    def _piece(self, token: int, *, special: bool) -> bytes:
        buffer = ctypes.create_string_buffer(256)
        count = llama.llama_token_to_piece(self._vocab, token, buffer, len(buffer), 0, special)
        return buffer.raw[: max(count, 0)]

    # -- loading ------------------------------------------------------------------------------------------------

    def _chat_template(self, path: Path) -> ChatTemplate:
        source = llama.llama_model_chat_template(self._model, None)
        if source is None:
            raise TemplateUnusable(f"The file {path.name} has no chat template: the model is not made to be asked.")
        bos, eos = (
            self._piece(token, special=True).decode("utf-8", "replace") if token >= 0 else ""
            for token in (llama.llama_vocab_bos(self._vocab), llama.llama_vocab_eos(self._vocab))
        )
        return ChatTemplate(source.decode("utf-8", "replace"), bos=bos, eos=eos)

    def _new_context(self, path: Path, threads: int) -> Any:
        params = llama.llama_context_default_params()
        params.n_ctx = min(MAX_CONTEXT, llama.llama_model_n_ctx_train(self._model))
        params.n_batch = params.n_ubatch = _BATCH
        params.n_threads = params.n_threads_batch = threads
        params.no_perf = True
        context = llama.llama_init_from_model(self._model, params)
        if not context:
            raise ModelUnavailable(f"The file {path.name} {self._log.reason()}.")
        return context

    def _meta(self, key: str) -> str:
        buffer = ctypes.create_string_buffer(256)
        found = llama.llama_model_meta_val_str(self._model, key.encode(), buffer, len(buffer))
        return buffer.value.decode("utf-8", "replace") if found > 0 else ""


class _Grammar:
    """Greedy choice under a grammar."""

    def __init__(self, vocab: Any, text: str) -> None:
        self._sampler = llama.llama_sampler_init_grammar(vocab, text.encode(), b"root")
        if not self._sampler:
            raise UnmeetableSchema("llama.cpp can't hold the model to the form that is wanted.")

    def choose(self, logits: NDArray[np.float32]) -> int:
        """The likeliest token that is allowed; few are looked at before all are."""
        for tokens in (logits.argmax(0, keepdims=True), np.argpartition(logits, -_FEW)[-_FEW:], np.arange(len(logits))):
            allowed = tokens[self._allowed(tokens, logits)]
            if len(allowed):
                chosen = int(allowed[logits[allowed].argmax()])
                llama.llama_sampler_accept(self._sampler, chosen)
                return chosen
        raise BadAnswer("The model can't go on in the form that it was asked for.")

    def _allowed(self, tokens: NDArray[np.int64], logits: NDArray[np.float32]) -> NDArray[np.bool_]:
        """The sampler sets the logits of what it forbids to -inf, in place and in order."""
        data = np.zeros(len(tokens), _TOKEN_DATA)
        data["id"], data["logit"] = tokens, logits[tokens]
        pointer = data.ctypes.data_as(llama.llama_token_data_p)
        array = llama.llama_token_data_array(pointer, len(tokens), -1, False)
        llama.llama_sampler_apply(self._sampler, ctypes.byref(array))
        allowed: NDArray[np.bool_] = np.isfinite(data["logit"])
        return allowed

    def close(self) -> None:
        llama.llama_sampler_free(self._sampler)


_TOKEN_DATA = np.dtype([("id", np.int32), ("logit", np.float32), ("p", np.float32)])


class _Log:
    """llama.cpp tells why a file can't be loaded only in its log. Nothing of it is shown: it holds paths."""

    def __init__(self) -> None:
        self._lines: deque[str] = deque(maxlen=50)
        self._callback = llama.llama_log_callback(self._take)
        llama.llama_log_set(self._callback, None)

    def _take(self, _level: int, text: bytes, _data: object) -> None:
        self._lines.append(text.decode("utf-8", "replace"))

    def reason(self) -> str:
        told = "".join(self._lines)
        return next((reason for sign, reason in _REASONS if sign in told), "can't be loaded by llama.cpp")
