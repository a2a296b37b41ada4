-- Whose plan limits an item or an upstream: counting those of an organization must not look into the
-- space of each of its members.

-- The foreign key to the space reports one that does not exist.
ALTER TABLE item ADD COLUMN quota_owner_id uuid;
ALTER TABLE upstream ADD COLUMN quota_owner_id uuid;

CREATE FUNCTION set_quota_owner() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.quota_owner_id := (SELECT quota_owner_id FROM space WHERE id = NEW.space_id);
  RETURN NEW;
END $$;
CREATE TRIGGER item_quota_owner BEFORE INSERT OR UPDATE OF space_id ON item
  FOR EACH ROW EXECUTE FUNCTION set_quota_owner();
CREATE TRIGGER upstream_quota_owner BEFORE INSERT OR UPDATE OF space_id ON upstream
  FOR EACH ROW EXECUTE FUNCTION set_quota_owner();

UPDATE item SET quota_owner_id = space.quota_owner_id FROM space WHERE space.id = item.space_id;
UPDATE upstream SET quota_owner_id = space.quota_owner_id
FROM space WHERE space.id = upstream.space_id;

CREATE INDEX item_by_quota_owner ON item (quota_owner_id, family);
CREATE INDEX upstream_by_quota_owner ON upstream (quota_owner_id);
