-- The organization in whose name an e-mail is sent: one cannot use up what others may send to an
-- address. No reference: rows live for days at most, and the cap counts those of a deleted one too.
ALTER TABLE mail_job ADD COLUMN sender_id uuid;
