-- Long requests that run after their response (docs/decisions/0050).

CREATE TABLE job (
  id              uuid PRIMARY KEY,
  -- the account of the person, or the credential of an organization: `account <id>`, `org_key <id>`
  owner           text NOT NULL,
  -- the credential that started it
  credential_id   uuid NOT NULL,
  -- the account of the credential; null: the credential acts for no person
  account_id      uuid REFERENCES account ON DELETE CASCADE,
  -- the organization of the request, or of a credential that acts for no person
  organization_id uuid REFERENCES organization ON DELETE CASCADE,
  operation_id    text NOT NULL,
  state           text NOT NULL DEFAULT 'running'
                  CHECK (state IN ('running', 'succeeded', 'failed', 'cancelled')),
  -- steps
  done            integer NOT NULL DEFAULT 0,
  total           integer,
  -- committed changes
  saved           integer NOT NULL DEFAULT 0,
  created_at      timestamptz NOT NULL DEFAULT now(),
  -- the gateway that runs it was alive
  heartbeat_at    timestamptz NOT NULL DEFAULT now(),
  ended_at        timestamptz,
  -- the response as it would have been, as JSON; of a failed job without one: it was interrupted
  status          integer,
  result          text,
  errors          text,
  CONSTRAINT job_of_one CHECK (num_nonnulls(account_id, organization_id) > 0),
  CONSTRAINT job_ended CHECK ((state = 'running') = (ended_at IS NULL)),
  CONSTRAINT job_response CHECK (CASE state
    WHEN 'succeeded' THEN status IS NOT NULL AND errors IS NULL
    WHEN 'failed' THEN result IS NULL AND (status IS NULL) = (errors IS NULL)
    ELSE num_nonnulls(status, result, errors) = 0 END)
);
CREATE INDEX job_by_owner ON job (owner, id);
CREATE INDEX job_by_account ON job (account_id);
CREATE INDEX job_by_organization ON job (organization_id);
CREATE INDEX job_by_age ON job (created_at);
CREATE INDEX job_running ON job (heartbeat_at) WHERE state = 'running';
