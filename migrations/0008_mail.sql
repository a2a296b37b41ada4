-- Mail: queued e-mails, cooldowns and ceilings, suppressed addresses.

CREATE TABLE mail_job (
  id               uuid PRIMARY KEY,
  kind             text NOT NULL,
  address          text NOT NULL,
  -- row the e-mail is about; its table depends on the kind
  subject_id       uuid,
  requested_at     timestamptz NOT NULL DEFAULT now(),
  run_at           timestamptz NOT NULL DEFAULT now(),
  give_up_at       timestamptz NOT NULL,
  -- after this, another worker takes over the job of a crashed one
  locked_until     timestamptz,
  attempts         int NOT NULL DEFAULT 0,
  -- true: the checks of cooldown and ceiling succeeded, and retries skip them
  claimed          boolean NOT NULL DEFAULT false,
  claimed_cooldown text,
  -- key of the cooldown that was started: an address or an account id; null: the address of the e-mail
  claimed_of       text,
  -- language of an e-mail about a deleted account; such a job is deleted once it is finished
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
