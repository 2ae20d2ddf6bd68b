"""The client of a cluster: what goes to which node, and nodes that go."""

import asyncio

import pytest
import redis

from mahjong_kit.redis import ClusterRedis, open_redis, store_error
from tests.kit.stores import valkey_cluster

PATIENCE_S = 60


async def failure_of(client, commands):
    """Sends commands; returns why that failed, or None."""
    try:
        await client.send_all(commands)
    except redis.RedisError as error:
        return error
    return None


async def test_many_commands_go_to_the_nodes_of_their_keys_and_answers_come_in_order(cluster, cluster_url):
    async with open_redis(cluster_url) as client:
        assert isinstance(client, ClusterRedis)
        script = await client.script_load("redis.call('SET', KEYS[1], ARGV[1]) return ARGV[1]")
        commands = [("EVALSHA", script, 1, f"{{s{number}}}:key", number) for number in range(60)]
        assert await client.send_all(commands) == [str(number).encode() for number in range(60)]
    kept = []
    for server in cluster:
        with redis.Redis(port=server.port) as node:
            kept.append(node.dbsize())
    assert sum(kept) == 60
    assert min(kept) > 0


async def test_errors_are_answers_among_the_others(cluster_url):
    async with open_redis(cluster_url) as client:
        answers = await client.send_all([("SET", "{a}k", "v"), ("EVALSHA", "0" * 40, 1, "{b}k"), ("GET", "{a}k")])
    assert answers[0]
    assert isinstance(answers[1], redis.exceptions.NoScriptError)
    assert answers[2] == b"v"


async def test_registered_script_is_learned_by_every_node_when_it_is_needed(cluster_url):
    async with open_redis(cluster_url) as client:
        count = client.register_script("return redis.call('INCR', KEYS[1])")
        assert [await count(keys=[f"{{{number}}}"]) for number in range(10)] == [1] * 10
        await client.script_flush()
        assert [await count(keys=[f"{{{number}}}"]) for number in range(10)] == [2] * 10


async def test_lost_node_is_told_as_a_store_that_does_not_answer_until_it_is_back():
    with valkey_cluster() as servers:
        async with open_redis(f"redis+cluster://127.0.0.1:{servers[0].port}", timeout_s=1.0) as client:
            commands = [("SET", f"{{s{number}}}", "v") for number in range(20)]
            await client.send_all(commands)
            servers[1].stop()
            with pytest.raises(redis.RedisError) as caught:
                await client.send_all(commands)
            assert store_error(caught.value) is not None
            servers[1].start()
            async with asyncio.timeout(PATIENCE_S):
                while (error := await failure_of(client, commands)) is not None:
                    assert store_error(error) is not None
                    await asyncio.sleep(0.1)


async def test_cluster_that_is_not_there_yet_is_waited_for():
    with valkey_cluster(1) as servers:
        port = servers[0].port
        servers[0].stop()

        async def reach() -> bytes | None:
            async with open_redis(f"redis+cluster://127.0.0.1:{port}", timeout_s=1.0) as client:
                while await failure_of(client, [("SET", "key", "value")]) is not None:
                    await asyncio.sleep(0.1)  # The node answers a little before it takes its slots again.
                return await client.get("key")

        reaching = asyncio.create_task(reach())
        done, _ = await asyncio.wait({reaching}, timeout=0.5)
        assert not done
        servers[0].start()
        async with asyncio.timeout(PATIENCE_S):
            assert await reaching == b"value"
