-- What `toolgate seed demo` or the first run created, so that its removal removes nothing else.
-- At most one row. While the demo is being loaded, its ids are null.
CREATE TABLE demo (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  began_at timestamptz NOT NULL DEFAULT now(),
  account_ids uuid[],
  organization_id uuid
);
