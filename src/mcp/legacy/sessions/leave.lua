-- Removes a closed stream and releases its hold on the session.
-- KEYS: session, its streams. ARGV: stream id
redis.call('ZREM', KEYS[2], ARGV[1])
if redis.call('HGET', KEYS[1], 'holder') == ARGV[1] then
  redis.call('HDEL', KEYS[1], 'holder', 'holder_until')
end
