-- Reads fields of a hash. A key of another type was not written by us: it is deleted and its values
-- start over, since an error would end the script for the calls of all other owners.
local function stored_in(key, fields)
  local stored = redis.pcall('HMGET', key, unpack(fields))
  if not stored.err then return stored end
  if not string.find(stored.err, '^WRONGTYPE') then error(stored) end
  redis.call('DEL', key)
  return {}
end

