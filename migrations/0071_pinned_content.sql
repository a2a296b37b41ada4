-- Prompts and resources of upstreams: their approved descriptions, and those that wait to be added.
-- The foreign keys follow one table at a time.

CREATE TABLE IF NOT EXISTS pinned_content (
  item_id     uuid PRIMARY KEY,
  space_id    uuid NOT NULL,
  upstream_id uuid NOT NULL,
  family      text NOT NULL CHECK (family IN ('prompt', 'resource')),
  -- name of the prompt, or URI of the resource, at the upstream
  source      text NOT NULL,
  pin         text NOT NULL,
  -- a changed description that waits for approval, and since when; null: not quarantined
  found       jsonb,
  held_at     timestamptz,
  -- since when the upstream no longer lists it; null: it does
  missing_at  timestamptz,
  CONSTRAINT pinned_content_held CHECK ((found IS NULL) = (held_at IS NULL))
);
CREATE INDEX IF NOT EXISTS pinned_content_of_upstream ON pinned_content (upstream_id);
CREATE INDEX IF NOT EXISTS pinned_content_of_space ON pinned_content (space_id);

-- Prompts and resources of followed upstreams that are not added yet.
CREATE TABLE IF NOT EXISTS offered_content (
  upstream_id uuid NOT NULL,
  family      text NOT NULL CHECK (family IN ('prompt', 'resource')),
  source      text NOT NULL,
  found       jsonb NOT NULL,
  found_at    timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (upstream_id, family, source)
);
COMMIT; BEGIN;

ALTER TABLE pinned_content
  DROP CONSTRAINT IF EXISTS pinned_content_item,
  ADD CONSTRAINT pinned_content_item FOREIGN KEY (item_id)
    REFERENCES item ON DELETE CASCADE NOT VALID;
COMMIT; BEGIN;

ALTER TABLE pinned_content
  DROP CONSTRAINT IF EXISTS pinned_content_space,
  ADD CONSTRAINT pinned_content_space FOREIGN KEY (space_id)
    REFERENCES space ON DELETE CASCADE NOT VALID;
COMMIT; BEGIN;

ALTER TABLE pinned_content
  DROP CONSTRAINT IF EXISTS pinned_content_upstream,
  ADD CONSTRAINT pinned_content_upstream FOREIGN KEY (upstream_id) REFERENCES upstream NOT VALID;
COMMIT; BEGIN;

-- Which prompts and resources are meant, by family; none of a family that is missing.
ALTER TABLE followed_upstream
  ADD COLUMN IF NOT EXISTS content_filters jsonb NOT NULL DEFAULT '{}';
ALTER TABLE offered_content
  DROP CONSTRAINT IF EXISTS offered_content_upstream,
  ADD CONSTRAINT offered_content_upstream FOREIGN KEY (upstream_id)
    REFERENCES followed_upstream ON DELETE CASCADE NOT VALID;
COMMIT; BEGIN;

ALTER TABLE pinned_content VALIDATE CONSTRAINT pinned_content_item,
  VALIDATE CONSTRAINT pinned_content_space, VALIDATE CONSTRAINT pinned_content_upstream;
ALTER TABLE offered_content VALIDATE CONSTRAINT offered_content_upstream;
