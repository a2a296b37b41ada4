-- The agent definition a key takes for primary tasks (K2). No reference: an assignment outlives its
-- definition, as one that is unavailable until it is changed or cleared (K3).
ALTER TABLE api_key ADD COLUMN default_agent_id uuid;
