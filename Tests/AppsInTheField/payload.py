"""What the apps write into transactions."""
import base64
import json

CIPH, KCHAT = b"ciph_msg:", b"kchat:"


def contextual(alias, body, root=CIPH):
    return root + b"1:comm:" + alias.encode() + b":" + body


def inbox(tag, alias, body, root=KCHAT):
    return root + b"1:dm:" + tag.encode() + b":" + alias.encode() + b":" + body


def handshake(body, root=CIPH):
    return root + b"1:handshake:" + body


def payment(body, root=CIPH):
    return root + b"1:payment:" + body


def self_stash(body, scope=None, root=CIPH):
    return root + b"1:self_stash:" + (scope.encode() + b":" if scope else b"") + body


def group_message(wallet, group, random, root=KCHAT):
    fields = [group, str(random.randrange(9)), random.randbytes(32).hex(), wallet.public, random.randbytes(24).hex(),
              random.randbytes(60).hex(), random.randbytes(64).hex()]
    return root + b"1:gcomm:" + ":".join(fields).encode()


def group_control(body, recipient=None, root=KCHAT):
    return root + b"1:gctl:" + (f"{recipient.public}:".encode() if recipient else b"") + body.hex().encode()


def broadcast(channel, content, root=KCHAT):
    text = content if isinstance(content, str) else json.dumps(content, separators=(",", ":"), ensure_ascii=False)
    return root + f"1:bcast:{channel}:{text}".encode()


def sealed_text(sealed):
    """Sealed bytes as the apps write them into a message."""
    return base64.b64encode(sealed)
