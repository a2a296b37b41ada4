-- Lets each request of a credential in an organization find out at once that no team there was
-- deleted, so that seats in deleted teams need not be looked for.

CREATE INDEX team_deleted_in_organization ON team (organization_id) WHERE deleted_at IS NOT NULL;
