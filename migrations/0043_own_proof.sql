-- Which sessions prove more than a sign-in at an organization's identity provider does.

-- When the method was added to the account that a session was opened with: the link to a third party,
-- or the passkey. Null: it has no such time, or a gateway of the previous release opened the session.
ALTER TABLE sign_in_challenge ADD COLUMN method_since timestamptz;
-- Last, since every request reads it.
ALTER TABLE account_session ADD COLUMN method_since timestamptz;
