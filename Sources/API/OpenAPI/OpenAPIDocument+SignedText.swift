extension OpenAPIDocument {
    /// The description of `auth`, with the text to sign; the example is the vector "v2 register" of
    /// `registration-auth.json`.
    static let auth = """
        Signatures by the wallet's key and, optionally, by a device key. Members that are not listed are ignored.

        The text to sign has these lines in this order, joined by line feeds, without one at the end. New apps use \
        version 2; version 1 has the domain `…:v1` and leaves out the lines marked (2).

        - `domain=kasia-push-auth:v2`, or `domain=kchat-push-auth:v2`
        - `auth_version=2` (2)
        - `nonce=`: the challenge's, as it is sent in `nonce`
        - `method=`: the request's method, such as `POST`
        - `path=`: the request's path without the query, such as `/v1/push/register`
        - `device_token_hash=`: the SHA-256 of the token as text, in lower-case hex digits without separators
        - `watched_addresses_hash=`: the hash of this list, in lower case
        - `watched_group_ids_hash=`: the hash of this list, in lower case; in version 1, if the list is empty, with or \
        without this line
        - `capabilities_hash=`: the hash of this list, in lower case (2)
        - `primary_address=`: in lower case; nothing behind the `=` if there is none
        - `aliases_hash=`: the hash of this list, in upper and lower case as it is
        - `wallet_pubkey=`: 64 hex digits in lower case
        - `wallet_address=`: in lower case
        - `timestamp_ms=` and `expires_at_ms=`: two lines, in decimal digits

        The hash of a list: trim each entry, drop empty entries and repeats, sort by bytes, join by line feeds, and \
        write the SHA-256 of this text (UTF-8) in lower-case hex. An absent list has the SHA-256 of the empty text.

        Only register and update sign lists. All other calls sign empty lists and an empty `primary_address`, but for \
        ring, where it is the caller's wallet. The two calls about a wallet name no token and sign the SHA-256 of the \
        empty text in its place.

        `signature` is BIP-340 (Schnorr, secp256k1) over the SHA-256 of the text, by the key of `wallet_pubkey`. If it \
        does not verify, the 401 has the code `wrong_signature` and, in `expected_text`, the text to compare with.

        A worked example. Device token `00000000000000000000000000000000000000000000000000000000000000Ab`, aliases \
        `alias-b`, ` alias-a ` and `alias-b`: the SHA-256 of `alias-a`, a line feed and `alias-b` is the \
        `aliases_hash`. The text is

        ```
        domain=kasia-push-auth:v2
        auth_version=2
        nonce=a35ca09dad9d987b024b6a72b45c9307
        method=POST
        path=/v1/push/register
        device_token_hash=6e89c06a6c1d8475675226a2c1af55c1aa6b7fad22898650afad6163dfe182b0
        watched_addresses_hash=ce96e7dca88228b4327d02dd01ed65011c9c9265492cb6c92813f26af7f81c17
        watched_group_ids_hash=271a413bd339c5709fdceaec41f14f11e9fbfb5042d72d331c65f32b284cd09a
        capabilities_hash=43b49870b7b80a97ed18f0a93e4c98b632cc0a2d947d6fd7560b0a927faef61d
        primary_address=kaspa:qrc3eek6l5nhsxahpnc6dvjsr6w5mw80gptz3pl2ctz9het4u4wy5rmp296ap
        aliases_hash=c00765b0e6a82ab6b2032556d9a780897dd26f8b727926a74cd72865c4d99a87
        wallet_pubkey=f11ce6dafd27781bb70cf1a6b2501e9d4db8ef40562887eac2c45be575e55c4a
        wallet_address=kaspa:qrc3eek6l5nhsxahpnc6dvjsr6w5mw80gptz3pl2ctz9het4u4wy5rmp296ap
        timestamp_ms=1767225600000
        expires_at_ms=1767225660000
        ```

        Its SHA-256 is `52294c9e00c3a3f420a2a6dfa45e5daa548b811798ed7b000bbf1f85c2834711`, and this is a good signature \
        of it: `37c540e26a063f5992248aa9855526a8e35588a68fb46ed19c2b431d6b3c578d\
        e1e0558399efdce220e9bce6f9e6144a7a21e4aaa34641b608fbc1281225c854`.
        """

    /// The description of `device_auth`.
    static let deviceAuth = """
        A second signature, by a key in the phone's secure element. The text to sign has the lines \
        `domain=kasia-push-device-auth:v1` (or `domain=kchat-push-device-auth:v1`), `nonce=`, `method=`, `path=`, \
        `device_token_hash=`, `key_id=`, `counter=`, `timestamp_ms=` and `expires_at_ms=`, written and joined as those \
        of the wallet's text.
        """
}
