#!/usr/bin/env python3
"""A node client by others, kaspad-client, against the real kaspad-replay. Prints a line a claim; fails if one does not hold.

    run.py [--executables FOLDER]

Needs what requirements.txt lists; without it nothing is tried, and it says so.
"""
import argparse
import asyncio
import json
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "AppsInTheField"))

import process  # noqa: E402
from claims import Claims, equal, expect  # noqa: E402

try:
    import grpc
    from kaspad_client.kaspa_grpc.messages_pb2 import KaspadRequest, KaspadResponse
    from kaspad_client.kaspa_grpc.messages_pb2_grpc import RPCStub
    from kaspad_client.modules.KaspadClient import KaspadClient
except ImportError as error:
    grpc, missing = None, error

FIXTURES = HERE.parent / "Fixtures"
ANSWERED = {
    "getCurrentNetworkRequest", "notifyBlockAddedRequest", "GetSinkRequest", "notifyVirtualChainChangedRequest",
    "getBlockRequest", "getVirtualChainFromBlockRequest", "getBlocksRequest", "getBlockCountRequest",
    "getBlockDagInfoRequest", "getSinkBlueScoreRequest", "getInfoRequest", "notifyVirtualDaaScoreChangedRequest",
    "pingRequest", "getServerInfoRequest", "getSyncStatusRequest", "getFeeEstimateRequest",
}


async def answered(call):
    """What a response holds; fails if it does not come in time, or holds an error."""
    response = await asyncio.wait_for(call, 30)
    name, payload = next((name, value) for name, value in response.items() if name != "id")
    expect("error" not in payload, f"{name}: {payload.get('error')}")
    return payload


async def questions(claims, client, expected):
    """What the recording knows, against what its maker wrote down."""
    with claims.claim("GetCurrentNetwork names the network"):
        equal((await answered(client.get_current_network()))["currentNetwork"], "mainnet")
    with claims.claim("GetInfo, GetServerInfo, GetSyncStatus and Ping are answered"):
        expect((await answered(client.get_info()))["isSynced"], "not synced")
        equal((await answered(client.get_server_info()))["networkId"], "mainnet")
        expect((await answered(client.get_sync_status()))["isSynced"], "not synced")
        await answered(client.ping())
    with claims.claim("GetBlockDagInfo, GetSink and GetBlock agree on the sink"):
        equal((await answered(client.get_block_dag_info()))["sink"], expected["sink"])
        # The client's own get_sink() misspells the request.
        equal((await answered(client.request("GetSinkRequest", None, True)))["sink"], expected["sink"])
        block = (await answered(client.get_block(expected["sink"], False)))["block"]
        equal(block["verboseData"]["hash"], expected["sink"])
        score = (await answered(client.get_sink_blue_score()))["blueScore"]
        equal(score, block["header"]["blueScore"])
    with claims.claim("GetBlockCount counts the recorded blocks"):
        count = await answered(client.get_block_count())
        equal((int(count["blockCount"]), int(count["headerCount"])), (expected["counts"]["blocks"],) * 2)
    with claims.claim("GetVirtualChainFromBlock tells the whole chain in batches, with all accepted ids"):
        start, hashes, accepted = expected["start_hash"], [], 0
        while True:
            step = await answered(client.get_virtual_chain_from_block(start, True))
            if not step["addedChainBlockHashes"]:
                break
            hashes += step["addedChainBlockHashes"]
            equal([entry["acceptingBlockHash"] for entry in step["acceptedTransactionIds"]], step["addedChainBlockHashes"])
            accepted += sum(len(entry["acceptedTransactionIds"]) for entry in step["acceptedTransactionIds"])
            start = hashes[-1]
        equal([expected["start_hash"]] + hashes, expected["virtual_chain"])
        equal(accepted, expected["counts"]["accepted_transactions"])
        without = await answered(client.get_virtual_chain_from_block(expected["start_hash"], False))
        equal(without["acceptedTransactionIds"], [])
    with claims.claim("GetFeeEstimate has a rate in each kind of bucket"):
        estimate = (await answered(client.get_fee_estimate()))["estimate"]
        for bucket in [estimate["priorityBucket"], estimate["normalBuckets"][0], estimate["lowBuckets"][0]]:
            expect(bucket["feerate"] >= 1 and bucket["estimatedSeconds"] > 0, bucket)


async def refusals(claims, client, port):
    """What no recording knows."""
    with claims.claim("a hash that the node does not have gets the protocol's error"):
        response = await asyncio.wait_for(client.get_virtual_chain_from_block("ab" * 32, True), 30)
        expect("cannot find header" in response["getVirtualChainFromBlockResponse"]["error"]["message"], response)
    requests = {field.name: field.number for field in KaspadRequest.DESCRIPTOR.fields if field.name != "id"}
    responses = {field.number: field.name for field in KaspadResponse.DESCRIPTOR.fields}
    refused = sorted(set(requests) - ANSWERED)
    with claims.claim(f"each of the {len(refused)} requests without data gets the error in its own response"):
        expect(ANSWERED <= set(requests) and len(refused) > 30, "the client's protocol is another one")
        for name in refused:
            response = await asyncio.wait_for(client.request(name, None, True), 30)
            payload = response.get(responses[requests[name] + 1])
            expect(payload and "no data" in payload["error"]["message"], f"{name}: {response}")
    with claims.claim("a message without a request gets an error, too, and the stream goes on"):
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            messages = [KaspadRequest(id=1), KaspadRequest(id=2)]
            messages[1].pingRequest.SetInParent()
            answers = [answer async for answer in RPCStub(channel).MessageStream(iter(messages), timeout=30)]
        equal([answer.id for answer in answers], [1, 2])
        equal(answers[0].pingResponse.error.message, "the message holds no request")
        expect(not answers[1].pingResponse.HasField("error"), answers[1])
    return refused


async def follow(claims, port, replay):
    expected = json.loads((FIXTURES / "recorded-blocks.expected.json").read_text())
    client = KaspadClient("127.0.0.1", port)
    await questions(claims, client, expected)
    refused = await refusals(claims, client, port)
    with claims.claim("the log names each kind of refused request once"):
        lines = [line for line in replay.log.splitlines() if "request refused" in line]
        equal(len(lines), len(refused) + 1, "kinds in the log")
        equal(len({line.split("request=")[-1] for line in lines}), len(lines), "different kinds")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--executables", default=str(HERE.parent.parent / ".build" / "debug"))
    options = parser.parse_args()
    if grpc is None:
        print(f"skipped: NodeClients needs kaspad-client for this Python ({sys.executable}): {missing}; "
              f"{HERE / 'requirements.txt'} lists what to install")
        return 0
    claims = Claims()
    with tempfile.TemporaryDirectory() as folder:
        try:
            recording = str(FIXTURES / "recorded-blocks.recording")
            program = pathlib.Path(options.executables).resolve() / "kaspad-replay"
            replay = process.Process([str(program), "serve", recording, "--port", "0", "--speed", "max"], folder, "replay")
            port = int(replay.line(r"listening on http://127\.0\.0\.1:(\d+)").group(1))
            replay.line("recording played")
            asyncio.run(follow(claims, port, replay))
            with claims.claim("at SIGTERM the node ends by itself, with status 0"):
                equal(replay.end(), 0)
        finally:
            process.end_all()
    print(f"{claims.passed} passed, {claims.failed} failed")
    return 1 if claims.failed or not claims.passed else 0


if __name__ == "__main__":
    sys.exit(main())
