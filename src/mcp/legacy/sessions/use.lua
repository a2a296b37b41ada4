-- Checks a session and slides its lifetime.
-- KEYS: session. ARGV: credential, version as sent ('' if not), lifetime in seconds
-- Returns: state, version, initialize params, revisions then
local stored = redis.call('HMGET', KEYS[1], 'credential', 'version', 'init', 'revisions')
if stored[1] ~= ARGV[1] then return { 'gone' } end
if ARGV[2] ~= '' and ARGV[2] ~= stored[2] then return { 'version_mismatch' } end
redis.call('EXPIRE', KEYS[1], ARGV[3])
return { 'live', stored[2], stored[3], stored[4] }
