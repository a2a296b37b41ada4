-- Adds an open stream to a session, within the limit.
-- KEYS: session, its streams
-- ARGV: credential, version header ('' if absent), lifetime in seconds, stream id, limit, ms until
--       a stream that is not renewed expires, '1' for an exchange, which gets a number
-- Returns: state, version, params of initialize, revisions at initialize, number of the exchange
local stored = redis.call('HMGET', KEYS[1], 'credential', 'version', 'init', 'revisions')
if stored[1] ~= ARGV[1] then return { 'gone' } end
if ARGV[2] ~= '' and ARGV[2] ~= stored[2] then return { 'version_mismatch' } end
redis.call('EXPIRE', KEYS[1], ARGV[3])

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
-- A retry after a lost reply uses the same stream id.
local isNew = not redis.call('ZSCORE', KEYS[2], ARGV[4])
if isNew and redis.call('ZCARD', KEYS[2]) >= tonumber(ARGV[5]) then return { 'full' } end
redis.call('ZADD', KEYS[2], now + ARGV[6], ARGV[4])
redis.call('PEXPIRE', KEYS[2], ARGV[6])
local number = ''
if ARGV[7] == '1' then number = tostring(redis.call('HINCRBY', KEYS[1], 'exchanges', 1)) end
return { 'live', stored[2], stored[3], stored[4], number }
