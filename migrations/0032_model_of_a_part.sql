-- The model whose relations a part's tuples have: whoever applies it writes it under that one.
ALTER TABLE authz_outbox ADD COLUMN model_id text NOT NULL;
