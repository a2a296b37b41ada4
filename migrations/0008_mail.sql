-- Mail: queued e-mails, cooldowns and ceilings, suppressed addresses.

CREATE TABLE mail_job (
  id               uuid PRIMARY KEY,
  kind             text NOT NULL,
  address          text NOT NULL,
  -- what the e-mail is about, by kind: a registration
  subject_id       uuid,
  requested_at     timestamptz NOT NULL DEFAULT now(),
  run_at           timestamptz NOT NULL DEFAULT now(),
  give_up_at       timestamptz NOT NULL,
  -- a worker that died leaves its job to the next after this
  locked_until     timestamptz,
  attempts         int NOT NULL DEFAULT 0,
  -- a retry does not check again the cooldown or ceiling it already took
  claimed          boolean NOT NULL DEFAULT false,
  claimed_cooldown text,
  -- whose cooldown was taken: an address, or an account; null: the address of the e-mail
  claimed_of       text,
  -- the language of an e-mail about a deleted account, whose row is deleted once it is sent
  locale           text,
  outcome          text CHECK (outcome IN ('sent', 'dropped', 'suppressed', 'refused', 'expired')),
  finished_at      timestamptz,
  CONSTRAINT mail_job_finished_has_outcome CHECK ((outcome IS NULL) = (finished_at IS NULL))
);
CREATE INDEX mail_job_waiting ON mail_job (run_at) WHERE finished_at IS NULL;
CREATE INDEX mail_job_by_address ON mail_job (address, kind) WHERE claimed;
CREATE INDEX mail_job_of_address ON mail_job (address);
CREATE INDEX mail_job_finished ON mail_job (finished_at) WHERE finished_at IS NOT NULL;

CREATE TABLE mail_cooldown (
  address text NOT NULL,
  kind    text NOT NULL,
  sent_at timestamptz NOT NULL,
  PRIMARY KEY (address, kind)
);
CREATE INDEX mail_cooldown_by_age ON mail_cooldown (sent_at);

-- Addresses whose server reported that there is no such mailbox.
CREATE TABLE mail_suppression (
  address text PRIMARY KEY,
  until   timestamptz NOT NULL
);
CREATE INDEX mail_suppression_by_end ON mail_suppression (until);
