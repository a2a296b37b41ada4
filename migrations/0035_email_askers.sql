-- The account that asked for an e-mail to someone else's address: one cannot use up what others may
-- send there. No reference: rows live for days at most, and the cap counts those of a deleted one too.
ALTER TABLE mail_job ADD COLUMN asked_by uuid;
