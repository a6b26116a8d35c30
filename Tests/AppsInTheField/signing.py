"""The texts that an app signs: version 1 of the scheme, for a wallet's key and for a device's."""
import hashlib


def sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()


def list_hash(members, lower=True):
    """Trimmed, without empty ones, once each, sorted by bytes, joined by line feeds."""
    kept = {member.strip() for member in members}
    kept = {member.lower() if lower else member for member in kept} - {""}
    return sha256("\n".join(sorted(kept, key=str.encode)))


class Intent:
    """One change that is to be signed: the call, the device, and the lists that the signature covers.

    `groups` is None where the text has no line for groups.
    """

    def __init__(self, method, path, token, watched=(), groups=None, aliases=(), primary=""):
        self.method, self.path, self.token = method, path, token
        self.watched, self.groups, self.aliases, self.primary = watched, groups, aliases, primary

    def wallet_text(self, domain, nonce, wallet, timestamp, expires):
        lines = [
            f"domain={domain}-push-auth:v1", f"nonce={nonce}", f"method={self.method}", f"path={self.path}",
            f"device_token_hash={sha256(self.token)}", f"watched_addresses_hash={list_hash(self.watched)}",
        ]
        if self.groups is not None:
            lines.append(f"watched_group_ids_hash={list_hash(self.groups)}")
        lines += [
            f"primary_address={self.primary or ''}", f"aliases_hash={list_hash(self.aliases, lower=False)}",
            f"wallet_pubkey={wallet.public}", f"wallet_address={wallet.address}",
            f"timestamp_ms={timestamp}", f"expires_at_ms={expires}",
        ]
        return "\n".join(lines)

    def device_text(self, domain, nonce, key, counter, timestamp, expires):
        return "\n".join([
            f"domain={domain}-push-device-auth:v1", f"nonce={nonce}", f"method={self.method}", f"path={self.path}",
            f"device_token_hash={sha256(self.token)}", f"key_id={key.identifier}", f"counter={counter}",
            f"timestamp_ms={timestamp}", f"expires_at_ms={expires}",
        ])
