"""A profile: one person's folder, its database, and, where asked for, the models that read it.

ONNX Runtime and FAISS are imported only when a model is asked for: the window opens profiles and asks for none.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import platformdirs

from memreview.store.database import FILE_NAME, Database

if TYPE_CHECKING:
    from memreview.language.claims import ClaimModel
    from memreview.language.embedder import TextEmbedder
    from memreview.language.relations import RelationModel
    from memreview.store.vectors import VectorIndex

CACHE = "cache"


class Profile:
    """Belongs to the thread that opened it. Opening loads no model."""

    def __init__(self, home: Path, database: Database) -> None:
        self.home = home
        self.database = database
        self._embedder: TextEmbedder | None = None
        self._index: VectorIndex | None = None
        self._claims: ClaimModel | None = None
        self._relations: RelationModel | None = None

    @classmethod
    def open(cls, home: Path | None = None, *, create: bool = True) -> Profile:
        """Raises `StoreError` where the folder or the database can't be used."""
        folder = home or home_folder()
        return cls(folder, Database.open(folder / FILE_NAME, create=create))

    def embedder(self) -> TextEmbedder:
        """The bundled embedder, or the folder named by `MEMREVIEW_EMBEDDER`, loaded once.

        Raises `ModelUnavailable` with the reason.
        """
        from memreview.language.embedder import load_embedder
        from memreview.language.model_files import embedder_folder

        if self._embedder is None:
            chosen = os.environ.get("MEMREVIEW_EMBEDDER")
            self._embedder = load_embedder(Path(chosen) if chosen else embedder_folder())
        return self._embedder

    def index(self) -> VectorIndex:
        """The FAISS index of this embedder, brought up to date by whoever adds vectors."""
        from memreview.store.vectors import VectorIndex

        if self._index is None:
            embedder = self.embedder()
            self._index = VectorIndex(self.home / CACHE, embedder.id, embedder.dims)
        return self._index

    def embedder_or_none(self) -> TextEmbedder | None:
        """For work that has a way without it (keyword search, the audit on words alone)."""
        from memreview.language.onnx_model import ModelUnavailable

        try:
            return self.embedder()
        except ModelUnavailable:
            return None

    def claims_or_none(self) -> ClaimModel | None:
        """The claim encoder, loaded once; None where it can't be: then nothing is filed by slot."""
        from memreview.language.claims import ClaimModel, claims_folder
        from memreview.language.onnx_model import ModelUnavailable

        with suppress(ModelUnavailable):
            self._claims = self._claims or ClaimModel.load(claims_folder())
        return self._claims

    def relations_or_none(self) -> RelationModel | None:
        """The relation model, loaded once; None where it can't be: then the audit goes by its rules alone."""
        from memreview.language.onnx_model import ModelUnavailable
        from memreview.language.relations import RelationModel, relations_folder

        with suppress(ModelUnavailable):
            self._relations = self._relations or RelationModel.load(relations_folder())
        return self._relations

    def close(self) -> None:
        self.database.close()


def home_folder() -> Path:
    """`MEMREVIEW_HOME`, else the platform's folder for a program's data."""
    given = os.environ.get("MEMREVIEW_HOME")
    return Path(given) if given else Path(platformdirs.user_data_dir("memreview", appauthor=False))
