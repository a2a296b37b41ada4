-- Audit: by which credential, and whether it was done or refused.

ALTER TABLE audit_event
  -- the session or key that asked; null: no credential was shown
  ADD COLUMN credential_id uuid,
  ADD COLUMN outcome text NOT NULL DEFAULT 'done' CHECK (outcome IN ('done', 'refused'));
