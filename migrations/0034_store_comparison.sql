-- Every change that OpenFGA had accepted before this time was still in its store at this time. The
-- next comparison starts here, whichever gateway makes it.
ALTER TABLE authz_deployment ADD COLUMN compared_at timestamptz NOT NULL DEFAULT now();
