#!/usr/bin/env bash
# Fuzzes with libFuzzer, from any directory: Tests/Fuzz/run.sh [SECONDS [TARGET…]], 30 seconds each by default.
# Targets: payload (the payload grammar), request (the decoder of REST bodies), signature (the signature path), wire (the
# scanner of the node's messages against swift-protobuf).
# The corpora start with the shared vectors, that of wire with the recorded blocks. Ends with an error at the first broken invariant, trap or memory error, and
# leaves the input that did it in the build folder named below. Not part of `make test` nor of the package.
set -euo pipefail

seconds=${1:-30}
targets=("${@:2}")
((${#targets[@]})) || targets=(payload request signature wire)
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$root/.build/fuzz
products=$root/.build/debug
mkdir -p "$build"

# The language rules of Package.swift; our sources are instrumented, so that libFuzzer sees their branches.
flags=(-O -wmo -parse-as-library -swift-version 6 -package-name fuzz -sanitize=fuzzer,address -I "$build")
for feature in ExistentialAny MemberImportVisibility InternalImportsByDefault NonisolatedNonsendingByDefault; do
    flags+=(-enable-upcoming-feature "$feature")
done
# swift-crypto and swift-http-types come from the package's debug build, as they are.
libraries=(Crypto CryptoBoringWrapper CCryptoBoringSSL CCryptoBoringSSLShims CXKCP CXKCPShims HTTPTypes)

module() { # NAME SOURCES…
    swiftc "${flags[@]}" -module-name "$1" -c -o "$build/$1.o" \
        -emit-module -emit-module-path "$build/$1.swiftmodule" "${@:2}"
}

# The part of the REST server that has no server in it, and of the lower modules what it names; all of it is one module,
# so the imports of the others are left out.
request_sources() {
    local sources=$build/sources
    rm -rf "$sources" && mkdir -p "$sources"
    local files=("$root"/Sources/API/Authentication/*.swift "$root"/Sources/API/Registration/{DeviceToken,RegistrationRequest,GroupTraffic}.swift
        "$root"/Sources/API/HTTP/{APIError,APILimits,ErrorCode,MemberReader,String+Request}.swift
        "$root"/Sources/JSON/*.swift "$root"/Sources/Push/Devices/{Registration,WalletProof}.swift
        "$root"/Sources/Store/Registry/Rows/{DeviceID,DeviceRecord,DeviceKeyUse,InboxTag,NonceUse}.swift
        "$root"/Sources/KasiaProtocol/ChannelName.swift "$root"/Sources/Spans/SpanError.swift
        "$root"/Sources/Store/Engine/{ByteCoding,StoreError}.swift "$root"/Sources/Store/Schema.swift)
    local file
    for file in "${files[@]}"; do
        sed -E '/^(public |package )?import (JSON|Push|Store|KasiaProtocol|Spans)$/d' "$file" >"$sources/$(basename "$file")"
    done
}

crypto_flags() {
    local map
    flags+=(-I "$products/Modules" -Xcc "-fmodule-map-file=$root/Sources/CSecp256k1/module.modulemap")
    for map in "$products"/CCryptoBoringSSL.build/module.modulemap "$products"/CCryptoBoringSSLShims.build/module.modulemap \
        "$root"/.build/checkouts/swift-crypto/Sources/CCryptoBoringSSL{,Shims}/include/module.modulemap; do
        if [[ -f $map ]]; then flags+=(-Xcc "-fmodule-map-file=$map"); fi
    done
}

corpus_of_requests() { # FOLDER
    python3 - "$root/Tests/Fixtures/vectors/registration-auth.json" "$1" <<'PYTHON'
import json, pathlib, sys
for number, vector in enumerate(json.load(open(sys.argv[1]))):
    pathlib.Path(sys.argv[2], f"request-{number}").write_text(json.dumps(vector["request"]))
PYTHON
}

# The scanner with the generated messages, and the oracle of its tests, in one module.
wire_sources() {
    local sources=$build/wire-sources
    rm -rf "$sources" && mkdir -p "$sources"
    local file
    for file in "$root"/Sources/KaspaNode/Wire/*.swift "$root"/Sources/KaspaNode/{NodeResponse,Generated/kaspad.pb}.swift \
        "$root"/Tests/KaspaNodeTests/Wire/ScanOracle.swift "$root"/Tests/Fuzz/WireFuzz.swift; do
        sed -E '/^@testable import KaspaNode$/d' "$file" >"$sources/$(basename "$file")"
    done
}

# Recorded blocks and changes of the virtual chain that fit, as responses.
corpus_of_messages() { # FOLDER MAXIMUM-LENGTH
    python3 - "$root/Tests/Fixtures/recorded-blocks.recording" "$1" "$2" <<'PYTHON'
import pathlib, sys

def varint(value):
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out + bytes([value]))

def read_varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        shift, at = shift + 7, at + 1
        if data[at - 1] < 0x80:
            return value, at

def field(number, value):
    return varint(number << 3 | 2) + varint(len(value)) + value

def fields(data):
    at = 0
    while at < len(data):
        tag, at = read_varint(data, at)
        value, at = read_varint(data, at)
        if tag & 7 == 2:
            yield tag >> 3, data[at : at + value]
            at += value

data, folder, limit = pathlib.Path(sys.argv[1]).read_bytes(), pathlib.Path(sys.argv[2]), int(sys.argv[3])
at, entries = 0, []
while at < len(data):
    length, at = read_varint(data, at)
    entries.append(data[at : at + length])
    at += length
responses = []
for entry in entries[1:]:
    for number, value in fields(entry):
        if number == 2:
            responses.append(field(1009, field(3, value)))
        if number == 3:
            # Removed hashes, then chain blocks with what they accept.
            answer = b"".join(field(3 if part == 2 else part, content) for part, content in fields(value))
            responses.append(varint(101 << 3) + varint(7) + field(1115, answer))
for number, response in enumerate(sorted((r for r in responses if len(r) <= limit), key=len, reverse=True)[:200]):
    (folder / f"response-{number}").write_bytes(response)
PYTHON
}

fuzz() { # TARGET MAXIMUM-LENGTH [ARGUMENTS…]
    # With the backtracer on, a crash can wait for ever instead of ending the run.
    SWIFT_BACKTRACE=enable=no "$build/$1" -max_total_time="$seconds" -max_len="$2" -timeout=5 \
        -artifact_prefix="$build/" -print_final_stats=1 "${@:3}" "$build/corpus-$1"
}

module Kaspa "$root"/Sources/Kaspa/*.swift
module JSON "$root"/Sources/JSON/*.swift
for target in "${targets[@]}"; do
    corpus=$build/corpus-$target
    mkdir -p "$corpus"
    case $target in
    payload)
        module KasiaProtocol "$root"/Sources/KasiaProtocol/*.swift
        swiftc "${flags[@]}" -module-name Fuzz -o "$build/payload" "$build/Kaspa.o" "$build/JSON.o" "$build/KasiaProtocol.o" \
            "$root/Tests/Fuzz/PayloadGrammarFuzz.swift" "$root/Tests/KasiaProtocolTests/PayloadInvariants.swift"
        number=0
        for digits in $(sed -n 's/.*"\(payload\|script\)": "\([0-9a-f]*\)".*/\2/p' "$root"/Tests/Fixtures/vectors/*.json); do
            printf '%b' "$(sed 's/../\\x&/g' <<<"$digits")" >"$corpus/bytes-$((number += 1))"
        done
        # One each, that the dictionary's pieces can be put into.
        printf 'kchat:1:dm:91c2716cef3e35fd08bb763ca20ebeff:4fca2c6084b1:c0de' >"$corpus/inbox"
        printf 'ciph_msg:1:dm:91c2716cef3e35fd08bb763ca20ebeff:4fca2c6084b1:c0de' >"$corpus/inbox-older-root"
        for address in $(sed -n 's/.*"address": "\([^" ]*\)".*/\1/p' "$root/Tests/Fixtures/vectors/addresses.json"); do
            printf '%s' "$address" >"$corpus/address-$((number += 1))"
        done
        fuzz payload 4096 -dict="$root/Tests/Fuzz/payload.dict"
        ;;
    request | signature)
        [[ -f $products/Modules/Crypto.swiftmodule ]] || (cd "$root" && swift build --target API)
        crypto_flags
        request_sources
        objects=()
        for library in "${libraries[@]}"; do
            while IFS= read -r object; do objects+=("$object"); done < <(
                find "$products/$library.build" -name '*.o' 2>/dev/null)
        done
        swiftc "${flags[@]}" -module-name Fuzz -o "$build/$target" "$build/Kaspa.o" "$build"/sources/*.swift \
            "$root/Tests/Fuzz/${target^}Fuzz.swift" "${objects[@]}" -lsecp256k1 -lstdc++
        corpus_of_requests "$corpus"
        fuzz "$target" 8192 -dict="$root/Tests/Fuzz/request.dict"
        ;;
    wire)
        [[ -f $products/Modules/SwiftProtobuf.swiftmodule ]] || (cd "$root" && swift build --target KaspaNode)
        module KasiaProtocol "$root"/Sources/KasiaProtocol/*.swift
        wire_sources
        swiftc "${flags[@]}" -I "$products/Modules" -module-name Fuzz -o "$build/wire" "$build"/{Kaspa,JSON,KasiaProtocol}.o \
            "$build"/wire-sources/*.swift "$products"/SwiftProtobuf.build/*.o
        corpus_of_messages "$corpus" 8192
        fuzz wire 8192
        ;;
    *)
        echo "no such target: $target" >&2
        exit 2
        ;;
    esac
done
