#!/bin/sh
# Regenerates the Swift of proto/*.proto with the generators of the resolved packages; the packages' build plugins would
# compile protoc itself first.
# Needs protoc (Debian: protobuf-compiler).
set -eu
cd "$(dirname "$0")/.."

swift build --product protoc-gen-swift
swift build --product protoc-gen-grpc-swift-2
tools=$(swift build --show-bin-path)

node=Sources/KaspaNode/Generated
recordings=Sources/Recordings/Generated
mkdir -p "$node" "$recordings"

messages="Visibility=Package,UseAccessLevelOnImports=true"
protoc -I proto --plugin="$tools/protoc-gen-swift" --swift_out="$node" --swift_opt="$messages" kaspad.proto
protoc -I proto --plugin="$tools/protoc-gen-grpc-swift-2" --grpc-swift-2_out="$node" \
    --grpc-swift-2_opt="$messages,Client=true,Server=true" kaspad.proto
protoc -I proto --plugin="$tools/protoc-gen-swift" --swift_out="$recordings" \
    --swift_opt="$messages,ProtoPathModuleMappings=proto/modules.asciipb" recording.proto
