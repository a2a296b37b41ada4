-- Requests that create something and were sent with an Idempotency-Key (docs/decisions/0044).

CREATE TABLE idempotent_request (
  -- SHA-256 of the caller, the route with its parameters, and the key
  id              text PRIMARY KEY,
  -- the account of the credential; null: the credential acts for no person
  account_id      uuid REFERENCES account ON DELETE CASCADE,
  -- the organization of a credential that acts for no person
  organization_id uuid REFERENCES organization ON DELETE CASCADE,
  -- the kind and id of the credential that sent it, or `session`; only it gets the secrets again
  credential      text NOT NULL,
  -- HMAC of the body
  body_hash       bytea NOT NULL,
  -- the attempt that runs, and when its gateway is taken for dead
  claim           uuid NOT NULL,
  claimed_until   timestamptz NOT NULL,
  created_at      timestamptz NOT NULL DEFAULT now(),
  -- set in the transaction of the creation
  committed_at    timestamptz,
  -- false: `content` is what the creation saved, from which the response is made
  answered        boolean NOT NULL DEFAULT false,
  -- what was created, or the response, as JSON without its secrets
  content         text,
  -- the same with its secrets, encrypted; deleted after an hour
  sealed          bytea,
  CONSTRAINT idempotent_request_of_one CHECK (num_nonnulls(account_id, organization_id) = 1),
  CONSTRAINT idempotent_request_committed CHECK (
    (committed_at IS NULL) = (content IS NULL)
    AND (committed_at IS NOT NULL OR (sealed IS NULL AND NOT answered)))
);
CREATE INDEX idempotent_request_by_account ON idempotent_request (account_id);
CREATE INDEX idempotent_request_by_organization ON idempotent_request (organization_id);
CREATE INDEX idempotent_request_by_age ON idempotent_request (created_at);
CREATE INDEX idempotent_request_with_secret ON idempotent_request (committed_at)
  WHERE sealed IS NOT NULL;
