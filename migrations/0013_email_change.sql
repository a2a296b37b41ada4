-- E-mail change: addresses asked for, and former addresses kept for whoever may want them back.

CREATE TABLE email_change (
  id         uuid PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES account ON DELETE CASCADE,
  -- the session that asked, which outlives the change; sessions are swept on their own
  session_id uuid NOT NULL,
  email      text NOT NULL,
  -- SHA-256 of the link's token; null: its letter is not sent yet
  token_hash bytea CONSTRAINT email_change_token_unique UNIQUE,
  expires_at timestamptz NOT NULL DEFAULT now() + interval '48 hours',
  CONSTRAINT email_change_email_lower_case CHECK (email = lower(email))
);
CREATE INDEX email_change_by_account ON email_change (account_id);
CREATE INDEX email_change_by_expiry ON email_change (expires_at);

-- For a day nobody else gets a former address, so that its holder can undo the change.
CREATE TABLE email_reservation (
  email      text PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES account ON DELETE CASCADE,
  -- SHA-256 of the undo link's token; null: its letter is not sent yet
  token_hash bytea CONSTRAINT email_reservation_token_unique UNIQUE,
  -- when the address was given up; undoing undoes what came later too
  given_up_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  expires_at timestamptz NOT NULL DEFAULT now() + interval '24 hours',
  CONSTRAINT email_reservation_email_lower_case CHECK (email = lower(email))
);
CREATE INDEX email_reservation_by_account ON email_reservation (account_id);
CREATE INDEX email_reservation_by_expiry ON email_reservation (expires_at);

-- The one gate for every claim of an address: claims of one address wait for each other, and a row
-- that names an address kept for another account is not written, like one that is in use.
CREATE FUNCTION account_claim_email() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  claimed text;
BEGIN
  -- The one that is left, too: whoever waits for it then sees it reserved.
  FOR claimed IN
    SELECT DISTINCT email FROM unnest(ARRAY[OLD.email, NEW.email]) AS email
    WHERE email IS NOT NULL ORDER BY email
  LOOP
    PERFORM pg_advisory_xact_lock(hashtextextended('email:' || claimed, 0));
  END LOOP;
  IF EXISTS (
    SELECT FROM email_reservation
    WHERE email = NEW.email AND account_id <> NEW.id AND expires_at > now()
  ) THEN
    RETURN NULL;
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER account_claim_email BEFORE INSERT OR UPDATE OF email ON account
  FOR EACH ROW EXECUTE FUNCTION account_claim_email();

-- Whose cooldown a letter took: an address, or an account; null: the address of the letter.
ALTER TABLE mail_job ADD COLUMN claimed_of text;
