-- Mail: letters asked for, who must not be written to again yet, who cannot be written to.

CREATE TABLE mail_job (
  id           uuid PRIMARY KEY,
  kind         text NOT NULL,
  address      text NOT NULL,
  -- what the letter is about, by kind: a registration
  subject_id   uuid,
  requested_at timestamptz NOT NULL DEFAULT now(),
  run_at       timestamptz NOT NULL DEFAULT now(),
  give_up_at   timestamptz NOT NULL,
  -- a worker that ended leaves its job to the next after this
  locked_until timestamptz,
  attempts     int NOT NULL DEFAULT 0,
  -- a retry does not ask for the cooldown or ceiling it already took
  claimed      boolean NOT NULL DEFAULT false,
  claimed_cooldown text,
  outcome      text CHECK (outcome IN ('sent', 'dropped', 'suppressed', 'refused', 'expired')),
  finished_at  timestamptz,
  CONSTRAINT mail_job_finished_has_outcome CHECK ((outcome IS NULL) = (finished_at IS NULL))
);
CREATE INDEX mail_job_waiting ON mail_job (run_at) WHERE finished_at IS NULL;
CREATE INDEX mail_job_by_address ON mail_job (address, kind) WHERE claimed;
CREATE INDEX mail_job_finished ON mail_job (finished_at) WHERE finished_at IS NOT NULL;

CREATE TABLE mail_cooldown (
  address text NOT NULL,
  kind    text NOT NULL,
  sent_at timestamptz NOT NULL,
  PRIMARY KEY (address, kind)
);

-- Addresses whose server said that there is no such mailbox.
CREATE TABLE mail_suppression (
  address text PRIMARY KEY,
  until   timestamptz NOT NULL
);
