-- Stores a cancelled request for an instance that does not listen yet, and signals those that do.
-- KEYS: session, cancelled requests. ARGV: request id as JSON, signal
local KEEP_REQUESTS, KEEP_SECONDS = 100, 90
redis.call('LPUSH', KEYS[2], ARGV[1])
redis.call('LTRIM', KEYS[2], 0, KEEP_REQUESTS - 1)
redis.call('EXPIRE', KEYS[2], KEEP_SECONDS)
redis.call('PUBLISH', KEYS[1] .. ':sig', ARGV[2])
