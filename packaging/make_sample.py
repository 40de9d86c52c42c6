"""Turns the prose in resources/samples/source into the sample exports beside it; the same prose gives the same files.

The months hold conversations: `@@ source slug | time (UTC) | title | options`, then turns `@kind {options} text`:

- `u` and `voice` are the person's (`{attach=name,type,size}`, `{image=size}`), `doc` what she pasted into Claude;
- `a` and `think` the assistant's, `bio` and `memory` its writes to memory (`{noack}`), `snapshot` its list of them;
- `search`, `web`, `browse`, `quote` (`{url=…; title=…}`), `file` (`{name=…}`), `py`, `out`, `call`, `tool` its tools'.

`{after=hours}` delays a turn. Turns between `@alt` and `@main` are on a branch that was left.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import sys
import tomllib
import uuid
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

SAMPLES = Path(__file__).parents[1] / "resources" / "samples"
NAMESPACE = uuid.UUID("6d0f7f0e-9b53-4b0e-8a53-2f0c1f2c7a11")
KINDS = "u|a|voice|bio|think|search|web|browse|quote|file|py|out|call|tool|snapshot|memory|doc|alt|main"
TURN = re.compile(rf"^@({KINDS})(?: \{{(.*?)\}})?(?: (.*))?$")
ROOT_SENTINEL = "00000000-0000-4000-8000-000000000000"  # Claude's parent of a first message
PACIFIC = timezone(timedelta(hours=-8))  # mem0 wrote US times until it went over to UTC
MEM0_UTC_SINCE = datetime(2026, 1, 1, tzinfo=UTC)

Json = dict[str, Any]


@dataclass(frozen=True)
class Turn:
    kind: str
    options: dict[str, str]
    text: str


@dataclass(frozen=True)
class Conversation:
    source: str
    slug: str
    at: datetime
    title: str
    options: dict[str, str]
    turns: list[Turn] = field(default_factory=list)


# --- reading the prose -------------------------------------------------------------------------------------------


def parse_time(text: str) -> datetime:
    return datetime.fromisoformat(text.strip()).replace(tzinfo=UTC)


def parse_options(text: str | None) -> dict[str, str]:
    """`a=1; b=two; flag` as a dictionary; a flag alone has the value of an empty string."""
    pairs = (part.partition("=") for part in (text or "").split(";") if part.strip())
    return {key.strip(): value.strip() for key, _, value in pairs}


def parse_conversation(block: str) -> Conversation:
    header, *lines = block.splitlines()
    head, at, title, *rest = (part.strip() for part in header.split("|"))
    source, slug = head.split()
    found: list[tuple[str, dict[str, str], list[str]]] = []
    for line in lines:
        if match := TURN.match(line):
            found.append((match[1], parse_options(match[2]), [match[3] or ""]))
        else:
            found[-1][2].append(line)
    turns = [Turn(kind, options, "\n".join(text).strip()) for kind, options, text in found]
    return Conversation(source, slug, parse_time(at), title, parse_options(rest[0] if rest else None), turns)


def read_conversations(folder: Path) -> list[Conversation]:
    texts = [path.read_text(encoding="utf-8") for path in sorted(folder.glob("20*.txt"))]
    blocks = [block for text in texts for block in re.split(r"^@@ ", text, flags=re.MULTILINE)[1:]]
    return sorted((parse_conversation(block) for block in blocks), key=lambda each: each.at)


def make_id(*parts: object) -> str:
    return str(uuid.uuid5(NAMESPACE, "/".join(map(str, parts))))


def pause(turn: Turn) -> timedelta:
    """How long before this turn ends: what `{after=…}` says in hours, else a time that fits its length."""
    if "after" in turn.options:
        return timedelta(hours=float(turn.options["after"]))
    seconds = 25 + len(turn.text) / 4 if turn.kind in ("u", "voice") else 1.5 + len(turn.text) / 90
    return timedelta(seconds=round(seconds, 3))


# --- ChatGPT -----------------------------------------------------------------------------------------------------


def chatgpt_text(text: str) -> str:
    """Puts the private-use citation marks in place of the readable ⟦turn0search1⟧ and ⟦file:turn0file1⟧."""
    text = re.sub(r"⟦file:(\w+)⟧", "\ue200filecite\ue202\\1\ue201", text)
    return re.sub(r"⟦(\w+)⟧", "\ue200cite\ue202\\1\ue201", text)


def message(role: str, content: Json, *, name: str | None = None, **changes: Any) -> Json:
    base: Json = {
        "id": "",
        "author": {"role": role, "name": name, "metadata": {}},
        "create_time": None,
        "update_time": None,
        "content": content,
        "status": "finished_successfully",
        "end_turn": None,
        "weight": 1.0,
        "metadata": {},
        "recipient": "all",
        "channel": None,
    }
    return base | changes


def text_content(text: str) -> Json:
    return {"content_type": "text", "parts": [text]}


def code_content(text: str, language: str = "unknown") -> Json:
    return {"content_type": "code", "language": language, "response_format_name": None, "text": text}


def user_message(turn: Turn, key: str) -> Json:
    options, metadata = turn.options, {}
    if "attach" in options:
        name, mime, size = options["attach"].split(",")
        file_id = "file-" + make_id(key, name).replace("-", "")[:22]
        metadata = {"attachments": [{"id": file_id, "name": name, "mime_type": mime, "size": int(size)}]}
    if "image" in options:
        pointer = {
            "content_type": "image_asset_pointer",
            "asset_pointer": "sediment://file_" + make_id(key, "image").replace("-", ""),
            "size_bytes": int(options["image"]),
            "width": 1536,
            "height": 2048,
            "fovea": None,
            "metadata": None,
        }
        content: Json = {"content_type": "multimodal_text", "parts": [pointer, turn.text]}
    else:
        content = text_content(turn.text)
    return message("user", content, metadata=metadata)


def voice_message(turn: Turn, key: str) -> Json:
    said = {"content_type": "audio_transcription", "text": turn.text, "direction": "in", "decoding_id": None}
    asset = {
        "content_type": "audio_asset_pointer",
        "asset_pointer": "sediment://file_" + make_id(key, "audio").replace("-", ""),
        "size_bytes": 1600 * len(turn.text),
        "format": "wav",
    }
    content = {"content_type": "multimodal_text", "parts": [said, asset]}
    return message("user", content, metadata={"voice_mode_message": True})


def bio_messages(turn: Turn) -> list[Json]:
    call = message("assistant", text_content(turn.text), recipient="bio", channel="commentary", end_turn=False)
    ack = message("tool", text_content("Model set context updated."), name="bio", recipient="assistant")
    return [call] if "noack" in turn.options else [call, ack]


def web_messages(turn: Turn, key: str) -> list[Json]:
    """A page in one of the three forms in which browsing has come: sonic_webpage, tether_quote, browsing_display."""
    url, title = turn.options.get("url", ""), turn.options.get("title", "")
    domain = url.partition("://")[2].partition("/")[0]
    if turn.kind == "browse":
        shown: Json = {"content_type": "tether_browsing_display", "result": turn.text, "summary": None, "assets": []}
        return [message("tool", shown | {"tether_id": None}, name="browser")]
    if turn.kind == "file":
        url, domain, title = "file-" + make_id(key).replace("-", "")[:22], turn.options["name"], turn.options["name"]
    quote = {"url": url, "domain": domain, "title": title, "text": turn.text}
    if turn.kind == "web":
        extra: Json = {"snippet": turn.text[:120], "pub_date": None, "crawl_date": None, "pub_timestamp": None}
        page = {"content_type": "sonic_webpage", **quote, **extra, "ref_id": None}
        return [message("tool", page, name="web.run", recipient="assistant")]
    name = "myfiles_browser" if turn.kind == "file" else "browser"
    return [message("tool", {"content_type": "tether_quote", **quote, "tether_id": None}, name=name)]


def chatgpt_messages(turn: Turn, key: str) -> list[Json]:
    """The export's messages for one turn, without ids and times."""
    text = turn.text
    match turn.kind:
        case "u":
            return [user_message(turn, key)]
        case "voice":
            return [voice_message(turn, key)]
        case "a":
            metadata = {"model_slug": turn.options.get("model", "gpt-5"), "finish_details": {"type": "stop"}}
            return [message("assistant", text_content(chatgpt_text(text)), end_turn=True, metadata=metadata)]
        case "bio":
            return bio_messages(turn)
        case "think":
            summary, _, body = text.partition("\n")
            thought = {"summary": summary, "content": body, "chunks": [], "finished": True}
            thoughts = {"content_type": "thoughts", "thoughts": [thought], "source_analysis_msg_id": None}
            recap = {"content_type": "reasoning_recap", "content": f"Thought for {3 + len(text) // 40}s"}
            return [message("assistant", thoughts), message("assistant", recap)]
        case "search":
            query = json.dumps({"search_query": [{"q": text}]})
            return [message("assistant", code_content(query), recipient="web.run", channel="analysis")]
        case "web" | "browse" | "quote" | "file":
            return web_messages(turn, key)
        case "py":
            return [message("assistant", code_content(text, "python"), recipient="python")]
        case "out":
            return [message("tool", {"content_type": "execution_output", "text": text}, name="python")]
        case "call":
            return [message("assistant", code_content(text, "json"), recipient=turn.options["name"])]
        case "tool":
            return [message("tool", text_content(text), name=turn.options["name"], recipient="assistant")]
        case "snapshot":
            content: Json = {"content_type": "model_editable_context", "model_set_context": text}
            content |= {"repository": None, "repo_summary": None, "structured_context": None}
            hidden = {"is_visually_hidden_from_conversation": True}
            return [message("assistant", content, metadata=hidden)]
    raise ValueError(f"no such turn in ChatGPT: {turn.kind}")


def hidden_messages(instructions: Json) -> list[Json]:
    hidden = {"is_visually_hidden_from_conversation": True}
    profile = {
        "content_type": "user_editable_context",
        "user_profile": "The user provided the following information about themselves. This user profile is shown "
        "to you in all conversations they have. It may not be relevant to the request.\nUser profile:\n"
        f"```{instructions['about']}```",
        "user_instructions": "The user provided the additional info about how they would like you to respond:\n"
        f"```{instructions['style']}```",
    }
    return [
        message("system", text_content(""), weight=0.0, end_turn=True, metadata=hidden),
        message("user", profile, metadata=hidden | {"is_user_system_message": True}),
    ]


@dataclass
class Tree:
    """The mapping of one conversation as it grows: each new message hangs below the last."""

    slug: str
    mapping: dict[str, Json] = field(default_factory=dict)
    last: str = "client-created-root"

    def __post_init__(self) -> None:
        self.mapping[self.last] = {"id": self.last, "message": None, "parent": None, "children": []}

    def add(self, new: Json, at: datetime | None) -> None:
        new |= {"id": make_id("chatgpt", self.slug, len(self.mapping)), "create_time": at and at.timestamp()}
        self.mapping[self.last]["children"].append(new["id"])
        self.mapping[new["id"]] = {"id": new["id"], "message": new, "parent": self.last, "children": []}
        self.last = new["id"]


def chatgpt_conversation(talk: Conversation, instructions: Json) -> Json:
    tree, now, fork = Tree(talk.slug), talk.at, ""
    for hidden in hidden_messages(instructions):
        tree.add(hidden, None)
    for number, turn in enumerate(talk.turns):
        if turn.kind == "alt":
            fork = tree.last
        elif turn.kind == "main":
            tree.last = fork
        else:
            now += pause(turn) if number else timedelta()
            for step, new in enumerate(chatgpt_messages(turn, f"{talk.slug}/{number}")):
                tree.add(new, None if turn.kind == "snapshot" else now + timedelta(seconds=step * 0.4))
    own_id = make_id("chatgpt", talk.slug)
    project = talk.options.get("project")
    project_id = project and "g-p-" + make_id("project", project).replace("-", "")
    return {
        "title": talk.title or None,
        "create_time": talk.at.timestamp(),
        "update_time": now.timestamp(),
        "mapping": dict(sorted(tree.mapping.items())),  # a real mapping is in no order of time either
        "moderation_results": [],
        "current_node": tree.last,
        "plugin_ids": None,
        "conversation_id": own_id,
        "conversation_template_id": project_id,
        "gizmo_id": project_id,
        "gizmo_type": "snorlax" if project else None,
        "is_archived": "archived" in talk.options,
        "is_starred": None,
        "safe_urls": [turn.options["url"] for turn in talk.turns if "url" in turn.options],
        "blocked_urls": [],
        "default_model_slug": "gpt-5",
        "conversation_origin": None,
        "voice": "cove" if any(turn.kind == "voice" for turn in talk.turns) else None,
        "async_status": None,
        "disabled_tool_ids": [],
        "is_do_not_remember": None,
        "memory_scope": "global_enabled",
        "id": own_id,
    }


def chatgpt_members(talks: list[Conversation], account: Json) -> Json:
    def instructions_at(at: datetime) -> Json:
        return [each for each in account["instructions"] if parse_time(each["since"]) <= at][-1]  # type: ignore[no-any-return]

    conversations = [chatgpt_conversation(talk, instructions_at(talk.at)) for talk in talks]
    user_id = "user-" + make_id("chatgpt", "account").replace("-", "")[:24]
    feedback = []
    for each in account["feedback"]:
        found = next(talk for talk in conversations if talk["id"] == make_id("chatgpt", each["conversation"]))
        feedback.append(
            {
                "id": found["current_node"],
                "conversation_id": found["id"],
                "user_id": user_id,
                "rating": each["rating"],
                "content": json.dumps({"text": each["text"]}),
                "create_time": iso(parse_time(each["at"])),
                "workspace_id": None,
                "evaluation_name": None,
            }
        )
    user = {
        "id": user_id,
        "email": account["email"],
        "chatgpt_plus_user": True,
        "phone_number": None,
        "birth_year": 1989,
    }
    return {
        "conversations.json": conversations[::-1],
        "user.json": user,
        "message_feedback.json": feedback,
        "shared_conversations.json": [],
        "shopping.json": [],
    }


# --- Claude ------------------------------------------------------------------------------------------------------


def iso(at: datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def claude_blocks(turn: Turn, key: str) -> list[Json]:
    call = {"id": "toolu_" + make_id(key).replace("-", "")[:24], "integration_name": None}
    match turn.kind:
        case "u" | "a":
            return [{"type": "text", "text": turn.text, "citations": [], "flags": None}]
        case "think":
            return [{"type": "thinking", "thinking": turn.text, "summaries": [], "cut_off": False}]
        case "search":
            return [{"type": "tool_use", "name": "web_search", "input": {"query": turn.text}, **call}]
        case "web":
            site = turn.options["url"].split("/")[2]
            source = {"type": "webpage_metadata", "site_domain": site, "site_name": site}
            page = {"type": "knowledge", **turn.options, "text": turn.text, "is_citable": True, "metadata": source}
            return [tool_result("web_search", None, page)]
        case "memory":
            edit = {"command": "add", "control": turn.text}
            done = {"type": "text", "text": f"Added memory #{turn.options['number']}: {turn.text}"}
            use = {"type": "tool_use", "name": "memory_user_edits", "input": edit, **call}
            return [use, tool_result("memory_user_edits", call["id"], done)]
    raise ValueError(f"no such turn in Claude: {turn.kind}")


def tool_result(name: str, call_id: str | None, content: Json) -> Json:
    return {"type": "tool_result", "tool_use_id": call_id, "name": name, "is_error": False, "content": [content]}


def claude_conversation(talk: Conversation, account_id: str) -> Json:
    """What the assistant does between two turns of the person is one message; `@doc` joins the person's turn."""
    messages: list[Json] = []
    now = talk.at
    for number, turn in enumerate(talk.turns):
        key = f"claude/{talk.slug}/{number}"
        now += pause(turn) if number else timedelta()
        sender = "human" if turn.kind in ("u", "doc") else "assistant"
        if not messages or messages[-1]["sender"] != sender:
            parent = messages[-1]["uuid"] if messages else ROOT_SENTINEL
            new: Json = {"uuid": make_id(key), "text": "", "content": [], "sender": sender, "created_at": iso(now)}
            messages.append(new | {"attachments": [], "files": [], "parent_message_uuid": parent})
        last = messages[-1]
        if turn.kind == "doc":
            name, size = turn.options["name"], len(turn.text.encode())
            pasted = {"file_name": name, "file_size": size, "file_type": name.rpartition(".")[2]}
            last["attachments"].append(pasted | {"extracted_content": turn.text})
            continue
        stamps = {"start_timestamp": iso(now), "stop_timestamp": iso(now)}
        last["content"] += [stamps | block for block in claude_blocks(turn, key)]
        last["text"] = "\n\n".join(block["text"] for block in last["content"] if block["type"] == "text")
        last["updated_at"] = iso(now)
    return {
        "uuid": make_id("claude", talk.slug),
        "name": talk.title,
        "summary": talk.options.get("summary", ""),
        "created_at": iso(talk.at),
        "updated_at": iso(now),
        "account": {"uuid": account_id},
        "chat_messages": messages,
    }


def claude_project(project: Json, account: Json, account_id: str) -> Json:
    at = iso(parse_time(project["at"]))
    docs = [{"uuid": make_id("doc", each["filename"]), "created_at": at, **each} for each in project["docs"]]
    return {
        "uuid": make_id("claude-project", project["name"]),
        "name": project["name"],
        "description": project["description"],
        "is_private": True,
        "is_starter_project": False,
        "prompt_template": project["prompt_template"],
        "created_at": at,
        "updated_at": at,
        "creator": {"uuid": account_id, "full_name": account["full_name"]},
        "docs": docs,
    }


def claude_members(talks: list[Conversation], account: Json) -> Json:
    account_id = make_id("claude", "account")
    projects = [claude_project(each, account, account_id) for each in account["projects"]]
    notes = {
        project["uuid"]: each["memory"].strip() for project, each in zip(projects, account["projects"], strict=True)
    }
    memory = {"conversations_memory": account["memory"].strip(), "project_memories": notes, "account_uuid": account_id}
    owner = {"uuid": account_id, "full_name": account["full_name"], "email_address": account["email"]}
    return {
        "conversations.json": [claude_conversation(talk, account_id) for talk in talks[::-1]],
        "users.json": [owner | {"verified_phone_number": None}],
        "memories.json": [memory],
        **{f"projects/{each['uuid']}.json": each for each in projects},
    }


# --- mem0 and the MCP memory server ------------------------------------------------------------------------------


def mem0_time(text: str) -> str:
    at = parse_time(text)
    return (at if at >= MEM0_UTC_SINCE else at.astimezone(PACIFIC)).isoformat(timespec="microseconds")


def read_mem0(text: str) -> Json:
    """One memory a line: `created [> updated] | category | text`."""
    results = []
    for line in filter(None, map(str.strip, text.splitlines())):
        times, category, memory = (part.strip() for part in line.split("|", 2))
        created, _, updated = times.partition(">")
        results.append(
            {
                "id": make_id("mem0", memory, created),
                "memory": memory,
                "hash": hashlib.md5(memory.encode(), usedforsecurity=False).hexdigest(),
                "metadata": {"category": category} if category else None,
                "created_at": mem0_time(created),
                "updated_at": mem0_time(updated) if updated else None,
                "user_id": "rhona",
            }
        )
    return {"results": results}


def read_mcp(text: str) -> list[Json]:
    """`# Name (type)` starts an entity, `- …` is an observation, `> relation Name` a relation from it."""
    entities: list[Json] = []
    relations: list[Json] = []
    for line in filter(None, map(str.strip, text.splitlines())):
        mark, rest = line[0], line[2:]
        if mark == "#":
            name, kind = rest.removesuffix(")").split(" (")
            entities.append({"type": "entity", "name": name, "entityType": kind, "observations": []})
        elif mark == "-":
            entities[-1]["observations"].append(rest)
        else:
            relation, target = rest.split()
            start = entities[-1]["name"]
            relations.append({"type": "relation", "from": start, "to": target, "relationType": relation})
    return entities + relations


# --- what is planted ---------------------------------------------------------------------------------------------


def message_texts(chatgpt: Json, claude: Json) -> Iterator[tuple[str, str, str, str]]:
    """Each message's (source, conversation id, message id, text), the text as it stands in the export's JSON."""
    for talk in chatgpt["conversations.json"]:
        for node in talk["mapping"].values():
            content = node["message"]["content"] if node["message"] else {}
            parts = [part if isinstance(part, str) else part.get("text", "") for part in content.get("parts", [])]
            text = "\n".join([*parts, content.get("text", ""), content.get("result", "")])
            yield "chatgpt", talk["id"], node["id"], text
    for talk in claude["conversations.json"]:
        for each in talk["chat_messages"]:
            pasted = [attachment["extracted_content"] for attachment in each["attachments"]]
            yield "claude", talk["uuid"], each["uuid"], "\n".join([each["text"], *pasted])


def memory_texts(chatgpt: Json, claude: Json, mem0: Json, mcp: list[Json]) -> Iterator[tuple[str, str | None, str]]:
    """Each stored memory's (source, native id, text); a snapshot's entries are `<message id>#<number>`."""
    for talk in chatgpt["conversations.json"]:
        for node in talk["mapping"].values():
            if not (new := node["message"]):
                continue
            if new["recipient"] == "bio":
                yield "chatgpt", new["id"], new["content"]["parts"][0]
            for entry in new["content"].get("model_set_context", "").split("\n\n"):
                if match := re.match(r"(\d+)\. \[[\d-]+\]\. (.*)", entry, re.DOTALL):
                    yield "snapshot", f"{new['id']}#{match[1]}", match[2]
    (memory,) = claude["memories.json"]
    yield from (
        ("claude", None, text) for text in (memory["conversations_memory"], *memory["project_memories"].values())
    )
    yield from (("mem0", each["id"], each["memory"]) for each in mem0["results"])
    for entity in mcp:
        yield from (("mcp", f"{entity['name']}\u001f{text}", text) for text in entity.get("observations", []))


def resolve_problems(
    problems: Json, messages: list[tuple[str, ...]], memories: list[tuple[str, str | None, str]]
) -> Json:
    """Names each memory (`source: text`) and each entry (`conversation slug: exact words`) by its ids."""

    def memory(written: str | None) -> Json | None:
        if not written:
            return None
        source, _, text = written.partition(": ")
        stored = [each for each in memories if each[0] == source]
        found = [each for each in stored if (text in each[2] if source == "claude" else text == each[2])]
        if not found:
            raise ValueError(f"no such memory: {written}")
        _, native_id, _ = found[0]  # conversations come newest first, so of several snapshots it is the last
        return {"source": source.replace("snapshot", "chatgpt"), "native_id": native_id, "text": text}

    def entry(written: str | None) -> Json | None:
        if not written:
            return None
        slug, _, quote = written.partition(": ")
        owners = {make_id("chatgpt", slug), make_id("claude", slug)}
        found = [each for each in messages if each[1] in owners and quote in each[3]]
        if len(found) != 1:
            raise ValueError(f"{len(found)} messages hold: {written}")
        source, conversation_id, message_id, _ = found[0]
        return {"source": source, "conversation_id": conversation_id, "message_id": message_id, "quote": quote}

    def side(written: Json) -> Json:
        return {
            "value": written.get("value"),
            "memory": memory(written.get("memory")),
            "entry": entry(written.get("entry")),
        }

    resolved = []
    for each in problems["problem"]:
        sides = {"old": side(each.get("old", {})), "new": side(each.get("new", {}))}
        lists = {key: [memory(text) for text in each[key]] for key in ("also", "affected") if key in each}
        resolved.append(each | sides | lists)
    return {"person": problems["person"], "problems": resolved}


# --- writing -----------------------------------------------------------------------------------------------------


def compact(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def pretty(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, indent=2).encode() + b"\n"


def pack(members: Json) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, value in members.items():
            archive.writestr(zipfile.ZipInfo(name), compact(value), zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def build(source: Path = SAMPLES / "source") -> dict[str, bytes]:
    """All files of the sample by their path below resources/samples."""
    accounts = tomllib.loads((source / "accounts.toml").read_text(encoding="utf-8"))
    problems = tomllib.loads((source / "problems.toml").read_text(encoding="utf-8"))
    talks = read_conversations(source)
    chatgpt = chatgpt_members([talk for talk in talks if talk.source == "chatgpt"], accounts["chatgpt"])
    claude = claude_members([talk for talk in talks if talk.source == "claude"], accounts["claude"])
    mem0 = read_mem0((source / "mem0.txt").read_text(encoding="utf-8"))
    mcp = read_mcp((source / "mcp-memory.txt").read_text(encoding="utf-8"))
    messages, memories = message_texts(chatgpt, claude), memory_texts(chatgpt, claude, mem0, mcp)
    expected = resolve_problems(problems, list(messages), list(memories))
    return {
        "chatgpt/chatgpt-export.zip": pack(chatgpt),
        "claude-export.zip": pack(claude),
        "mem0.json": pretty(mem0),
        "mcp-memory.jsonl": b"\n".join(map(compact, mcp)),  # the server writes no newline at the end either
        "expected.json": pretty(expected),
    }


def main() -> int:
    for name, data in build().items():
        path = SAMPLES / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        print(f"{name}: {len(data):,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
