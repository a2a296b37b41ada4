-- A person whom a third party vouched for without a verified address is asked for one, once.

-- null: not asked yet
ALTER TABLE account ADD COLUMN email_asked_at timestamptz;
