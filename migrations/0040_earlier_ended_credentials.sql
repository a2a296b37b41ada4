-- What the trigger of 0039 does, for the accounts whose credentials ended before it existed.
UPDATE account SET credentials_ended = credentials_ended
  + tstzmultirange(tstzrange(NULL, credentials_valid_from, '[]'))
WHERE credentials_valid_from IS NOT NULL;
