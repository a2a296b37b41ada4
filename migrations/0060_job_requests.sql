-- Who may see a job is decided by its request, as it would be now (docs/decisions/0050).

-- the parameters of its path; those of earlier jobs are unknown, so none in an organization is shown
ALTER TABLE job ADD COLUMN params jsonb NOT NULL DEFAULT '{}';
