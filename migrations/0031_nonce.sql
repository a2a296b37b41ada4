-- The random mark of a scope's revision goes by one name in rows, code and documents.
ALTER TABLE authz_scope RENAME COLUMN stamp TO nonce;
