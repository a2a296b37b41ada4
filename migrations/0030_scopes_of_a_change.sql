-- A change of several scopes is applied in their order: the scope and revision this part waits for.
ALTER TABLE authz_outbox
  ADD COLUMN after_kind text,
  ADD COLUMN after_id   uuid,
  ADD COLUMN after_seq  bigint,
  ADD CONSTRAINT authz_outbox_after FOREIGN KEY (after_kind, after_id) REFERENCES authz_scope (kind, id);

-- The version of each registered projection when its tuples were last brought up.
ALTER TABLE authz_deployment ADD COLUMN projections jsonb NOT NULL DEFAULT '{}';
