-- Checks a session and extends its lifetime.
-- KEYS: session. ARGV: credential, version header ('' if absent), lifetime in seconds
-- Returns: state, version, params of initialize, revisions at initialize
local stored = redis.call('HMGET', KEYS[1], 'credential', 'version', 'init', 'revisions')
if stored[1] ~= ARGV[1] then return { 'gone' } end
if ARGV[2] ~= '' and ARGV[2] ~= stored[2] then return { 'version_mismatch' } end
redis.call('EXPIRE', KEYS[1], ARGV[3])
return { 'live', stored[2], stored[3], stored[4] }
