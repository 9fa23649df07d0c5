//! What Redis does in one step, on its own clock.

use redis::Script;

const NOW: &str = "local t = redis.call('TIME'); local now = t[1] * 1000000 + t[2]; ";
const COUNT: &str = "return redis.call('ZCOUNT', KEYS[1], now - ARGV[1], now)";
/// KEYS: the set. ARGV: end, member, retention in microseconds.
const ADD: &str = "redis.call('ZADD', KEYS[1], ARGV[1], ARGV[2]); \
    redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[3]); \
    redis.call('PEXPIRE', KEYS[1], math.ceil(ARGV[3] / 1000) + 1000)";
/// KEYS: the loop. ARGV: start, outcome, retention in microseconds. An older start changes nothing.
const LOOP: &str = "local known = redis.call('HGET', KEYS[1], 'start'); \
    if not known or tonumber(known) <= tonumber(ARGV[1]) then \
    redis.call('HSET', KEYS[1], 'start', ARGV[1], 'outcome', ARGV[2]); \
    redis.call('PEXPIRE', KEYS[1], math.ceil(ARGV[3] / 1000) + 1000) end";
/// KEYS: the set, its requests. ARGV: member, retention, request, then length and limit of each
/// window. Answers state, time and counts. A member that is there was added by the same call before.
const ADMIT: &str = "local mine = redis.call('ZSCORE', KEYS[1], ARGV[1]); \
    if mine then return {0, tonumber(mine)} end \
    if ARGV[3] ~= '' and redis.call('ZSCORE', KEYS[2], ARGV[3]) then \
    return {1, 0} end \
    local answer = {2, 0}; local full = false; \
    for at = 4, #ARGV, 2 do \
    local count = redis.call('ZCOUNT', KEYS[1], now - ARGV[at], now); \
    answer[#answer + 1] = count; \
    if count >= tonumber(ARGV[at + 1]) then full = true end end \
    if full then return answer end \
    local life = math.ceil(ARGV[2] / 1000) + 1000; \
    redis.call('ZADD', KEYS[1], now, ARGV[1]); redis.call('PEXPIRE', KEYS[1], life); \
    redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[2]); \
    if ARGV[3] ~= '' then redis.call('ZADD', KEYS[2], now, ARGV[3]); \
    redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now - ARGV[2]); \
    redis.call('PEXPIRE', KEYS[2], life) end \
    return {0, now}";
const PRUNE: &str =
    "return redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', '(' .. (now - ARGV[1]))";

/// The scripts; each is sent once and then named by its hash.
pub(super) struct Scripts {
    pub(super) count: Script,
    pub(super) add: Script,
    pub(super) note_loop: Script,
    pub(super) admit: Script,
    pub(super) prune: Script,
}

impl Scripts {
    pub(super) fn new() -> Self {
        let script = |body: &str| Script::new(&format!("{NOW}{body}"));
        Self {
            count: script(COUNT),
            add: script(ADD),
            note_loop: script(LOOP),
            admit: script(ADMIT),
            prune: script(PRUNE),
        }
    }
}
