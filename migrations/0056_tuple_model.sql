-- The model that OpenFGA validates tuples against (docs/decisions/0052-model-of-tuples.md). It is
-- published by the migration of the same release; until then, gateways use the whole model.
ALTER TABLE authz_deployment ADD COLUMN tuple_model_id text;
