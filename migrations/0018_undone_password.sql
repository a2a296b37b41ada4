-- E-mail change: undoing it also takes back a password that came after it.

-- SHA-256 of the password hash when the address was given up; null: there was no password.
ALTER TABLE email_reservation ADD COLUMN password_digest bytea;
