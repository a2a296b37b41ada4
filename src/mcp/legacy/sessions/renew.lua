-- Renews an open stream, the session's lifetime and the stream's hold on the session.
-- KEYS: session, its streams, its known digests
-- ARGV: credential, lifetime in seconds, stream id, ms until expiry, '1' if it may hold the session
-- Returns: 'gone', 'renewed', or 'taken_over' if it took over from a holder that closed or expired
local stored = redis.call('HMGET', KEYS[1], 'credential', 'holder', 'holder_until')
if stored[1] ~= ARGV[1] then return 'gone' end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('EXPIRE', KEYS[1], ARGV[2])
redis.call('EXPIRE', KEYS[3], ARGV[2])
redis.call('ZADD', KEYS[2], now + ARGV[4], ARGV[3])
redis.call('PEXPIRE', KEYS[2], ARGV[4])
if ARGV[5] ~= '1' then return 'renewed' end
if stored[2] ~= ARGV[3] and stored[3] and tonumber(stored[3]) > now then return 'renewed' end
redis.call('HSET', KEYS[1], 'holder', ARGV[3], 'holder_until', now + ARGV[4])
return stored[2] == ARGV[3] and 'renewed' or 'taken_over'
