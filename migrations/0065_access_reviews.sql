-- Access reviews: what every member and live credential of an organization could do at a time, and
-- what was decided about each.

CREATE TABLE access_review (
  id              uuid PRIMARY KEY,
  organization_id uuid NOT NULL REFERENCES organization ON DELETE CASCADE,
  name            text NOT NULL,
  -- running: its entries are being written, and nobody sees them
  status          text NOT NULL DEFAULT 'running' CHECK (status IN ('running', 'open', 'closed')),
  -- the day (UTC) of a nightly review; null: somebody asked for it
  night           date,
  created_at      timestamptz NOT NULL DEFAULT now(),
  created_by_kind text NOT NULL,
  created_by_id   uuid,
  -- authorization model that decided; null while it runs
  model_id        text,
  entries         integer NOT NULL DEFAULT 0,
  flagged         integer NOT NULL DEFAULT 0,
  -- a running one whose gateway has died is deleted then
  abandoned_at    timestamptz,
  CONSTRAINT access_review_running CHECK ((status = 'running') = (abandoned_at IS NOT NULL)),
  CONSTRAINT access_review_one_a_night UNIQUE (organization_id, night)
);
CREATE INDEX access_review_of_organization ON access_review (organization_id, id);
CREATE INDEX access_review_abandoned ON access_review (abandoned_at) WHERE status = 'running';

-- What entries of a review have in common: permissions and capabilities, or a list of items.
CREATE TABLE access_review_part (
  review_id       uuid NOT NULL REFERENCES access_review ON DELETE CASCADE,
  number          integer NOT NULL,
  organization_id uuid NOT NULL,
  content         jsonb NOT NULL,
  PRIMARY KEY (review_id, number)
);

-- Names of people and credentials are not stored: they are those of the rows, while these exist.
CREATE TABLE access_review_entry (
  id              uuid PRIMARY KEY,
  review_id       uuid NOT NULL REFERENCES access_review ON DELETE CASCADE,
  organization_id uuid NOT NULL,
  position        integer NOT NULL,
  kind            text NOT NULL
                  CHECK (kind IN ('member', 'key', 'organization_key', 'connection', 'client')),
  subject_id      uuid NOT NULL,
  -- the member, or the person of the credential
  account_id      uuid,
  teams           jsonb NOT NULL,
  follows         boolean NOT NULL,
  last_used_at    timestamptz,
  held_part       integer NOT NULL,
  items_part      integer NOT NULL,
  -- how many items of each family, with those of the person's own space
  reach           jsonb NOT NULL,
  flags           text[] NOT NULL,
  decision        text CHECK (decision IN ('keep', 'reduce', 'revoke')),
  comment         text,
  decided_by_kind text,
  decided_by_id   uuid,
  CONSTRAINT access_review_entry_position UNIQUE (review_id, position)
);
CREATE INDEX access_review_entry_decided ON access_review_entry (review_id, decision)
  WHERE decision IS NOT NULL;

CREATE TABLE access_review_settings (
  organization_id uuid PRIMARY KEY REFERENCES organization ON DELETE CASCADE,
  nightly         boolean NOT NULL,
  keep            integer NOT NULL CHECK (keep > 0)
);
CREATE INDEX access_review_settings_nightly ON access_review_settings (organization_id)
  WHERE nightly;
