-- Sign-ins under way: what was proved before all sessions ended opens none.

-- How often they were ended all together; whoever signs in compares what it was at their proof.
ALTER TABLE account ADD COLUMN sessions_ended int NOT NULL DEFAULT 0;
-- Challenges end with the sessions.
ALTER TABLE sign_in_challenge DROP COLUMN password_hash;
