-- Authority: the revision of each scope, and the tuple writes that carry it to OpenFGA.
-- Design: docs/architecture.md, "How authority changes".

-- One row per scope, created with what it stands for and never deleted. The platform's id is nil.
CREATE TABLE authz_scope (
  kind        text   NOT NULL CHECK (kind IN ('platform', 'account', 'organization', 'membership', 'service')),
  id          uuid   NOT NULL,
  -- last change of authority
  revision    bigint NOT NULL DEFAULT 0,
  -- last change known to be in OpenFGA; below revision the scope is dirty and nothing is decided
  applied     bigint NOT NULL DEFAULT 0,
  -- new at each revision: numbers repeat after a restore, this does not
  nonce       uuid   NOT NULL DEFAULT gen_random_uuid(),
  -- raised by edits that lists and reads show
  content     bigint NOT NULL DEFAULT 0,
  -- number of the last outbox part
  position    bigint NOT NULL DEFAULT 0,
  dirty_since timestamptz,
  -- since when OpenFGA refuses the scope's next change for good; null while changes may still apply
  stuck_since timestamptz,
  PRIMARY KEY (kind, id),
  CONSTRAINT authz_scope_applied_not_ahead CHECK (applied <= revision)
);
CREATE INDEX authz_scope_dirty ON authz_scope (dirty_since) WHERE applied < revision;

-- Every revision has its row, empty if no tuple moves; parts of at most 98 tuples.
CREATE TABLE authz_outbox (
  kind        text    NOT NULL,
  id          uuid    NOT NULL,
  seq         bigint  NOT NULL,
  part        int     NOT NULL,
  position    bigint  NOT NULL,
  -- The fencing token once this part is applied. It is never issued twice: a database restored to an
  -- earlier state issues its numbers again, and a new change must not be taken for a lost one.
  fence       text    NOT NULL,
  last_part   boolean NOT NULL,
  deletes     jsonb   NOT NULL,
  writes      jsonb   NOT NULL,
  actor       jsonb   NOT NULL,
  reason      text    NOT NULL,
  created_at  timestamptz NOT NULL DEFAULT now(),
  applied_at  timestamptz,
  -- when a repair went past this part, which OpenFGA refused for good; kept as evidence
  given_up_at timestamptz,
  -- when a later part was applied: the sweep deletes those alone, never the last part of a scope,
  -- which its fence and the store watch need
  superseded_at timestamptz,
  -- the model whose relations the tuples have: every gateway writes them under that one
  model_id    text    NOT NULL,
  -- A change of several scopes is applied in their order: the scope and revision this part waits for.
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
