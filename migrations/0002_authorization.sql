-- Authority: the revision of each scope, and the tuple writes that carry it to OpenFGA.
-- Design: docs/architecture.md, "How authority changes".

-- One row per scope, created with its object and never deleted. The platform's id is nil.
CREATE TABLE authz_scope (
  kind        text   NOT NULL CHECK (kind IN ('platform', 'account', 'organization', 'membership', 'service')),
  id          uuid   NOT NULL,
  -- last change of authority
  revision    bigint NOT NULL DEFAULT 0,
  -- last change known to be in OpenFGA; below revision, the scope is dirty and refuses decisions
  applied     bigint NOT NULL DEFAULT 0,
  -- new at each revision: numbers repeat after a restore, this does not
  nonce       uuid   NOT NULL DEFAULT gen_random_uuid(),
  -- incremented by edits that lists and reads show
  content     bigint NOT NULL DEFAULT 0,
  -- number of the last outbox part
  position    bigint NOT NULL DEFAULT 0,
  dirty_since timestamptz,
  -- when OpenFGA refused the scope's next change permanently; null: not stuck
  stuck_since timestamptz,
  PRIMARY KEY (kind, id),
  CONSTRAINT authz_scope_applied_not_ahead CHECK (applied <= revision)
);
CREATE INDEX authz_scope_dirty ON authz_scope (dirty_since) WHERE applied < revision;

-- Every revision has a row, empty if no tuple changes; parts have at most 98 tuples.
CREATE TABLE authz_outbox (
  kind        text    NOT NULL,
  id          uuid    NOT NULL,
  seq         bigint  NOT NULL,
  part        int     NOT NULL,
  position    bigint  NOT NULL,
  -- The fencing token once this part is applied. It is never issued twice: a database restored to
  -- an earlier state reuses its numbers, and a new change must not be mistaken for a lost one.
  fence       text    NOT NULL,
  last_part   boolean NOT NULL,
  deletes     jsonb   NOT NULL,
  writes      jsonb   NOT NULL,
  actor       jsonb   NOT NULL,
  reason      text    NOT NULL,
  created_at  timestamptz NOT NULL DEFAULT now(),
  applied_at  timestamptz,
  -- when a repair skipped this part, which OpenFGA refused permanently; stored as evidence
  given_up_at timestamptz,
  -- when a later part was applied: the sweep deletes only such parts, never a scope's last part,
  -- which its fence and the store watch need
  superseded_at timestamptz,
  -- model that defines the tuples' relations; every gateway writes the tuples under it
  model_id    text    NOT NULL,
  -- Scope and revision this part waits for, since a change of several scopes is applied in order.
  after_kind  text,
  after_id    uuid,
  after_seq   bigint,
  PRIMARY KEY (kind, id, seq, part),
  FOREIGN KEY (kind, id) REFERENCES authz_scope (kind, id),
  CONSTRAINT authz_outbox_after FOREIGN KEY (after_kind, after_id) REFERENCES authz_scope (kind, id)
);
CREATE INDEX authz_outbox_waiting ON authz_outbox (kind, id, position) WHERE applied_at IS NULL;
CREATE INDEX authz_outbox_superseded ON authz_outbox (superseded_at) WHERE superseded_at IS NOT NULL;
CREATE INDEX authz_outbox_last_applied ON authz_outbox (kind, id, seq, part)
  WHERE applied_at IS NOT NULL AND superseded_at IS NULL;
CREATE INDEX authz_outbox_applied ON authz_outbox (applied_at DESC) WHERE applied_at IS NOT NULL;

-- The store, model and epoch of this database; one row.
CREATE TABLE authz_deployment (
  single      boolean PRIMARY KEY DEFAULT true CHECK (single),
  store_id    text NOT NULL,
  model_id    text NOT NULL,
  model_hash  text NOT NULL,
  epoch       uuid NOT NULL,
  -- the version of each registered projection when its tuples were last written
  projections jsonb NOT NULL DEFAULT '{}',
  deployed_at timestamptz NOT NULL DEFAULT now()
);
