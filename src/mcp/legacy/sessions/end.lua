-- Ends a session and signals every instance.
-- KEYS: session, the credential's sessions
-- ARGV: session id, credential, version header ('' if absent)
-- Returns: previous state
local stored = redis.call('HMGET', KEYS[1], 'credential', 'version')
if stored[1] ~= ARGV[2] then return 'gone' end
if ARGV[3] ~= '' and ARGV[3] ~= stored[2] then return 'version_mismatch' end
local key = KEYS[1]
redis.call('DEL', key, key .. ':seen', key .. ':streams', key .. ':cancelled')
redis.call('SREM', KEYS[2], ARGV[1])
redis.call('PUBLISH', key .. ':sig', '{"type":"end"}')
return 'live'
