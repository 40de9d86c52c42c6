"""What a claim changes in the ledger: the gate's verdict within the ledger's own rules (Capture §3.3, App. B).

The gate proposes. Whatever it says, nothing that another than the person wrote overturns what is stable, one sentence
never does, protected attributes are taken from the person alone, and an undated statement only adds or waits.

A change of a stable node that is stated once, first-hand and with confidence, is a *contender*: in force beside the old
node, which it does not overwrite. Any later statement of the person's that is consistent with it counts towards
overwriting (two sessions, or three in one); if they say the old again instead, the contender is dismissed. Until it is
confirmed it has no protection of its own. A change that is stated with less confidence waits in quarantine and becomes
a contender when it is corroborated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from memreview.language import state_schema
from memreview.language.gate_reader import READINGS
from memreview.ledger import scopes
from memreview.ledger.constants import Policy
from memreview.ledger.draft import Draft
from memreview.ledger.values import Edge, Why
from memreview.records.entry import Origin
from memreview.records.gate import GLOBAL_SCOPE, Action, Bearing, ClaimEvent, Layer, Node, NodeStatus, Verdict

FIRST_HAND = ("sincere", "temporary")
OF_OTHERS = ("quoted", "other_person")
SOME_SITUATION = "some situations"
"""The scope of what holds in one situation that is not named."""
_RETAIN = READINGS.index("retain")
_TRUST = (
    Origin.USER, Origin.SHARED_FILE, Origin.TOOL_OUTPUT, Origin.ASSISTANT, Origin.RETRIEVED_DOCUMENT,
)  # fmt: skip


def apply(draft: Draft, claim: ClaimEvent, verdict: Verdict, bearings: Sequence[Bearing]) -> None:
    """Record in the draft what the claim changes. Bearings may name nodes as they were before this step."""
    now = [replace(bearing, node=draft.node(bearing.node.id)) for bearing in bearings]
    held = [bearing for bearing in now if bearing.node.status in ("active", "quarantined")]
    _ACTIONS[_allowed(draft.policy, claim, verdict)](draft, claim, verdict, held)


def with_status(node: Node, status: NodeStatus) -> Node:
    return replace(node, status=status)


def trust(origins: Sequence[Origin]) -> Origin | None:
    """The least trusted of them; None where none is known."""
    return max(origins, key=_TRUST.index, default=None)


def takes(slot: str | None, claim: ClaimEvent, verdict: Verdict, policy: Policy) -> bool:
    """Whether a claim may be stored in a slot: what is protected only if the person says it of themselves, by how it is
    put or by what the gate, which reads the whole text, is sure of."""
    schema = state_schema.load()
    if slot is None or slot not in schema or not schema.slot(slot).protected:
        return True
    sure = verdict.authenticity >= policy.overwrite_confidence and claim.speech_act not in OF_OTHERS
    return claim.event.origin == Origin.USER and (claim.speech_act in FIRST_HAND or sure)


def says_same(bearing: Bearing, claim: ClaimEvent, policy: Policy) -> bool:
    """Near enough, entailed or a repeat, and of the same scope: what a corroboration takes."""
    return (
        bearing.similarity >= policy.corroboration_cosine
        and _support(bearing) >= policy.corroboration_entailment
        and scopes.same(claim.scope, bearing.node.scope, policy)
    )


def supersede(draft: Draft, winner: Node, loser: Node, why: Why = "superseded") -> None:
    """`winner` takes the place of `loser`, and what spoke against another node for the loser speaks for the winner."""
    draft.put(with_status(draft.node(loser.id), "superseded"), why)
    draft.put(replace(draft.node(winner.id), revised_at=draft.at), why)
    draft.link(Edge("supersedes", winner.id, loser.id, draft.at), why)
    for edge in draft.edges("contends", source=loser.id):
        if edge.target != winner.id and draft.node(edge.target).status == "active":
            own = {one.target: one.sessions for one in draft.edges("contends", source=winner.id)}
            _contend(draft, winner, draft.node(edge.target), (*own.get(edge.target, ()), *edge.sessions))


# -- the six actions ------------------------------------------------------------------------------------------------


def _allowed(policy: Policy, claim: ClaimEvent, verdict: Verdict) -> Action:
    if verdict.action in ("retain", "quarantine", "ask"):
        return verdict.action
    if verdict.probabilities["quarantine"] >= policy.suspicion:
        return "quarantine"
    if _in_jest(policy, claim):
        return "retain"  # it writes nothing, however sure the gate is
    if verdict.authenticity < policy.least_authenticity or not takes(claim.slot, claim, verdict, policy):
        return "quarantine"
    return verdict.action


def _in_jest(policy: Policy, claim: ClaimEvent) -> bool:
    return claim.speech_act == "sarcastic" and claim.confidence < policy.least_meant


def _retain(draft: Draft, claim: ClaimEvent, verdict: Verdict, bearings: Sequence[Bearing]) -> None:
    for node in _said_again(draft, claim, verdict, bearings):
        _restate(draft, claim, verdict, node)


def _add(draft: Draft, claim: ClaimEvent, verdict: Verdict, bearings: Sequence[Bearing]) -> None:
    if not _known(draft, claim, verdict, bearings, _said_again(draft, claim, verdict, bearings)):
        _write(draft, claim, verdict, bearings, claim.timescale)


def _scope(draft: Draft, claim: ClaimEvent, verdict: Verdict, bearings: Sequence[Bearing]) -> None:
    target = _in_force(draft, verdict.target)
    again = [node for node in _said_again(draft, claim, verdict, bearings) if target is None or node.id != target.id]
    if _known(draft, claim, verdict, bearings, again):
        return
    node = _write(draft, claim, verdict, bearings, claim.timescale, narrow=True)
    if target is not None:
        draft.link(Edge("scopes", node.id, target.id, draft.at), "narrowed")
        draft.put(replace(draft.node(target.id), revised_at=draft.at), "narrowed")


def _revise(draft: Draft, claim: ClaimEvent, verdict: Verdict, bearings: Sequence[Bearing]) -> None:
    target = _in_force(draft, verdict.target)
    again = _said_again(draft, claim, verdict, bearings)
    if target is None or (target.id in [node.id for node in again] and not _certain(draft, claim, verdict, target)):
        _add(draft, claim, verdict, bearings)
    elif _vouches(draft.policy, claim, verdict) and _speaks_for_rival(draft, target, again):
        _retain(draft, claim, verdict, bearings)
    elif not claim.event.dated:
        _hold(draft, claim, verdict, bearings, against=target)
    elif claim.event.at < _spoken(target):
        past = _node(claim, verdict, "superseded", target.layer, claim.scope)
        draft.put(past, "superseded")
        draft.link(Edge("supersedes", target.id, past.id, draft.at), "superseded")
    elif not _certain(draft, claim, verdict, target):
        _hold(draft, claim, verdict, bearings, against=target)
    else:
        node = _write(draft, claim, verdict, bearings, target.layer)
        if target.layer != "stable" or _unconfirmed(draft, target):
            supersede(draft, node, target)
        else:
            _stand_against(draft, node, target, bearings)
        _speak_against(draft, node, claim.event.session)


def _quarantine(draft: Draft, claim: ClaimEvent, verdict: Verdict, bearings: Sequence[Bearing]) -> None:
    """What is held already is not held twice, and hearing it again from the same side does not keep it longer."""
    for bearing in bearings:
        if bearing.node.status == "quarantined" and says_same(bearing, claim, draft.policy):
            node = bearing.node
            draft.put(replace(node, events=(*node.events, claim.event.id)), "held")
            return
    _hold(draft, claim, verdict, bearings)


def _ask(draft: Draft, claim: ClaimEvent, verdict: Verdict, bearings: Sequence[Bearing]) -> None:
    """Until the answer comes the claim waits where it can't influence anything."""
    _hold(draft, claim, verdict, bearings, against=_in_force(draft, verdict.target))


_Rule = Callable[[Draft, ClaimEvent, Verdict, Sequence[Bearing]], None]
_ACTIONS: dict[Action, _Rule] = {
    "retain": _retain,
    "add": _add,
    "scope": _scope,
    "revise": _revise,
    "quarantine": _quarantine,
    "ask": _ask,
}


# -- saying again ---------------------------------------------------------------------------------------------------


def _said_again(draft: Draft, claim: ClaimEvent, verdict: Verdict, bearings: Sequence[Bearing]) -> list[Node]:
    """The nodes that the claim repeats. For a change that awaits corroboration less is enough: a consistent statement,
    or one that denies what it stands against and, by the gate, says nothing new. Where a claim seems to repeat both,
    the newer of them is meant."""
    found = [
        bearing.node
        for bearing in bearings
        if says_same(bearing, claim, draft.policy)
        or (_is_contender(draft, bearing.node) and _consistent(bearing, verdict, draft.policy))
    ]
    if verdict.action == "retain":
        found += [node for node in _denied_for(draft, bearings) if node.id not in [one.id for one in found]]
    overtaken = {edge.target for node in found for edge in draft.edges("contends", source=node.id)}
    return [node for node in found if node.id not in overtaken]


def _denied_for(draft: Draft, bearings: Sequence[Bearing]) -> Iterator[Node]:
    """The only contender of each node that a statement denies: it repeats something, and that is not what it denies."""
    for bearing in bearings:
        if bearing.node.status == "active" and _contrary(bearing) >= draft.policy.relation:
            rivals = _rivals(draft, bearing.node)
            if len(rivals) == 1:
                yield rivals[0]


def _known(
    draft: Draft, claim: ClaimEvent, verdict: Verdict, bearings: Sequence[Bearing], again: Sequence[Node]
) -> bool:
    """Whether a claim that would be written is there already. If the person vouches for it, it is corroborated; what
    waits in quarantine is not let out by anybody else."""
    if again and _vouches(draft.policy, claim, verdict):
        for node in again:
            _restate(draft, claim, verdict, node)
    elif again and all(node.status == "quarantined" for node in again):
        _quarantine(draft, claim, verdict, bearings)
    return bool(again)


def _consistent(bearing: Bearing, verdict: Verdict, policy: Policy) -> bool:
    """Also where gate and reader both say that nothing new is said."""
    repeated = verdict.action == "retain" and bearing.reading[_RETAIN] >= policy.repeated
    return repeated or _support(bearing) >= policy.consistent


def _vouches(policy: Policy, claim: ClaimEvent, verdict: Verdict) -> bool:
    """Whether an event corroborates: the person's own, dated, authentic, meant, and neither held back nor suspect."""
    return (
        claim.event.origin == Origin.USER
        and claim.event.dated
        and verdict.action not in ("quarantine", "ask")
        and verdict.authenticity >= policy.corroboration_authenticity
        and verdict.probabilities["quarantine"] < policy.suspicion
        and not _in_jest(policy, claim)
        and takes(claim.slot, claim, verdict, policy)
    )


def _restate(draft: Draft, claim: ClaimEvent, verdict: Verdict, node: Node) -> None:
    """A corroboration. The node now rests on the person's own words alone, which is better than on anything else."""
    if not _vouches(draft.policy, claim, verdict):
        return
    node = draft.node(node.id)
    if claim.event.id in node.events or not takes(node.slot, claim, verdict, draft.policy):
        return
    promoted = node.status == "quarantined"
    restated = replace(
        node,
        status="active",
        corroborated_at=max(node.corroborated_at, claim.event.at),
        corroborations=node.corroborations + 1,
        events=(*node.events, claim.event.id),
        origins=(Origin.USER,),
    )
    draft.put(restated, "promoted" if promoted else "corroborated")
    for edge in draft.edges("contends", source=node.id):
        target = draft.node(edge.target)
        if target.status == "active" and verdict.authenticity >= _least(draft.policy, target):
            _contend(draft, restated, target, (*edge.sessions, claim.event.session))
    for edge in draft.edges("contends", target=node.id):
        rival = draft.node(edge.source)
        said_later = rival.status == "active" and rival.corroborated_at <= claim.event.at
        if said_later and verdict.authenticity >= draft.policy.overwrite_confidence:
            supersede(draft, restated, rival, "dismissed")


# -- changing one's mind --------------------------------------------------------------------------------------------


def _certain(draft: Draft, claim: ClaimEvent, verdict: Verdict, target: Node) -> bool:
    """Whether a statement changes something by itself: in force at once, and for a stable node as a contender."""
    policy = draft.policy
    if claim.event.origin == Origin.USER:
        least = _least(policy, target)
    elif target.layer == "stable":
        return False
    else:
        least = policy.overwrite_confidence
    return verdict.authenticity >= least and verdict.probabilities["revise"] >= policy.revise_confidence


def _least(policy: Policy, target: Node) -> float:
    """The authenticity that a statement of the person's needs to speak against a node."""
    return policy.overwrite_confidence if target.layer == "stable" else policy.corroboration_authenticity


def _contend(draft: Draft, node: Node, target: Node, sessions: tuple[str, ...]) -> None:
    """`node` stands against another one with so many statements. Enough of them overwrite a stable node; what is not
    stable needs no more than that it was corroborated."""
    draft.link(Edge("contends", node.id, target.id, draft.at, sessions=sessions), "contended")
    policy = draft.policy
    enough = len(set(sessions)) >= policy.overwrite_sessions or len(sessions) >= policy.overwrite_in_session
    if enough or target.layer != "stable":
        supersede(draft, node, target)


def _speak_against(draft: Draft, node: Node, session: str) -> None:
    """A statement for a node counts against each stable one that it contends with. From an unconfirmed node that it
    overtook it has inherited what spoke for that: both statements deny the stable one."""
    for edge in draft.edges("contends", source=node.id):
        target = draft.node(edge.target)
        if target.status == "active":
            _contend(draft, draft.node(node.id), target, (*edge.sessions, session))


def _stand_against(draft: Draft, node: Node, target: Node, bearings: Sequence[Bearing]) -> None:
    """Beside a stable node. Whichever change an earlier statement named, it denied the node as well; of these changes
    those that the claim contradicts are over."""
    contrary = {one.node.id for one in bearings if _contrary(one) >= draft.policy.relation}
    rivals = _rivals(draft, target)
    spoken = [edge for edge in draft.edges("contends", target=target.id) if edge.source in [one.id for one in rivals]]
    kept = (session for edge in spoken if edge.source not in contrary for session in edge.sessions)
    draft.link(Edge("contends", node.id, target.id, draft.at, sessions=tuple(kept)), "contended")
    for rival in rivals:
        if rival.id in contrary:
            supersede(draft, node, rival)


def _rivals(draft: Draft, node: Node) -> list[Node]:
    """What stands against it and is in force."""
    found = (draft.node(edge.source) for edge in draft.edges("contends", target=node.id))
    return [rival for rival in found if rival.status == "active"]


def _is_contender(draft: Draft, node: Node) -> bool:
    return node.status == "active" and _unconfirmed(draft, node)


def _unconfirmed(draft: Draft, node: Node) -> bool:
    """Whether it stands against a stable node that is still in force."""
    return any(draft.node(edge.target).status == "active" for edge in draft.edges("contends", source=node.id))


def _speaks_for_rival(draft: Draft, target: Node, again: Sequence[Node]) -> bool:
    """Whether what the claim repeats stands against its target, or its target against that."""
    rivals = {edge.source for edge in draft.edges("contends", target=target.id)}
    rivals |= {edge.target for edge in draft.edges("contends", source=target.id)}
    return any(node.id in rivals for node in again)


# -- writing --------------------------------------------------------------------------------------------------------


def _write(
    draft: Draft,
    claim: ClaimEvent,
    verdict: Verdict,
    bearings: Sequence[Bearing],
    layer: Layer,
    *,
    narrow: bool = False,
) -> Node:
    scope = SOME_SITUATION if narrow and scopes.is_global(claim.scope) else claim.scope
    node = _node(claim, verdict, "active", layer, scope)
    draft.put(node, "written")
    _relate(draft, node, bearings)
    return node


def _hold(
    draft: Draft, claim: ClaimEvent, verdict: Verdict, bearings: Sequence[Bearing], against: Node | None = None
) -> Node:
    """In quarantine; `against` is the node that it would change, were it corroborated."""
    node = _node(claim, verdict, "quarantined", claim.timescale, claim.scope)
    draft.put(node, "held")
    _relate(draft, node, bearings)
    if against is not None:
        draft.link(Edge("contends", node.id, against.id, draft.at), "contended")
    return node


def _node(claim: ClaimEvent, verdict: Verdict, status: NodeStatus, layer: Layer, scope: str) -> Node:
    at = claim.event.at
    return Node(
        id=claim.event.id,
        claim=claim.claim,
        layer=layer,
        scope=scope or GLOBAL_SCOPE,
        status=status,
        written_at=at,
        corroborated_at=at,
        confidence=verdict.authenticity,
        slot=claim.slot,
        origins=(claim.event.origin,),
        events=(claim.event.id,),
        corroborations=0,
        revised_at=None,
        vector=claim.vector,
    )


def _relate(draft: Draft, node: Node, bearings: Sequence[Bearing]) -> None:
    for bearing in bearings:
        against = _contrary(bearing)
        support = _support(bearing)
        if against >= draft.policy.relation and against >= support:
            draft.link(Edge("contradiction", node.id, bearing.node.id, draft.at, against))
        elif support >= draft.policy.relation:
            draft.link(Edge("support", node.id, bearing.node.id, draft.at, support))


def _support(bearing: Bearing) -> float:
    return max(bearing.nli["entailment"], bearing.relations["duplicates"])


def _contrary(bearing: Bearing) -> float:
    return max(bearing.nli["contradiction"], bearing.relations["supersedes"])


def _in_force(draft: Draft, node_id: str | None) -> Node | None:
    if node_id is None:
        return None
    node = draft.node(node_id)
    return node if node.status == "active" else None


def _spoken(node: Node) -> int:
    """When it was last said."""
    return max(node.written_at, node.corroborated_at)
