-- Invitations to organizations.

CREATE TABLE organization_invitation (
  id              uuid PRIMARY KEY,
  organization_id uuid NOT NULL REFERENCES organization,
  -- the invited address
  email           text NOT NULL,
  -- the member on whose authority roles are granted; null: that account was deleted
  invited_by      uuid REFERENCES account ON DELETE SET NULL,
  -- a pending invitation past `expires_at` is shown as expired; the next one to the address ends it
  status          text NOT NULL DEFAULT 'pending'
    CHECK (status IN ('pending', 'accepted', 'revoked', 'expired')),
  created_at      timestamptz NOT NULL DEFAULT now(),
  expires_at      timestamptz NOT NULL DEFAULT now() + interval '7 days',
  ended_at        timestamptz,
  -- the subject of the latest e-mail; an earlier one that is still queued is dropped
  email_id        uuid NOT NULL,
  -- SHA-256 of the link's token; null: the latest e-mail is not sent yet
  token_hash      bytea,
  CONSTRAINT organization_invitation_email_lower_case CHECK (email = lower(email)),
  CONSTRAINT organization_invitation_ended CHECK ((status = 'pending') = (ended_at IS NULL)),
  CONSTRAINT organization_invitation_email_id_unique UNIQUE (email_id),
  CONSTRAINT organization_invitation_token_unique UNIQUE (token_hash),
  -- lets roles reference an invitation together with its organization
  CONSTRAINT organization_invitation_in_organization UNIQUE (organization_id, id)
);
CREATE UNIQUE INDEX organization_invitation_one_pending
  ON organization_invitation (organization_id, email) WHERE status = 'pending';
CREATE INDEX organization_invitation_by_email ON organization_invitation (email);
CREATE INDEX organization_invitation_by_inviter ON organization_invitation (invited_by);
CREATE INDEX organization_invitation_by_expiry ON organization_invitation (expires_at);

CREATE TABLE organization_invitation_role (
  organization_id uuid NOT NULL,
  invitation_id   uuid NOT NULL,
  role_id         uuid NOT NULL,
  -- null for the system roles, as in `membership_role`
  custom_role_id  uuid GENERATED ALWAYS AS (CASE WHEN role_id NOT IN (
    '00000000-0000-8000-8000-000000000001',
    '00000000-0000-8000-8000-000000000002',
    '00000000-0000-8000-8000-000000000003') THEN role_id END) STORED,
  PRIMARY KEY (invitation_id, role_id),
  FOREIGN KEY (organization_id, invitation_id)
    REFERENCES organization_invitation (organization_id, id) ON DELETE CASCADE,
  -- Roles of pending invitations are not deleted; ended invitations lose the role.
  FOREIGN KEY (organization_id, custom_role_id)
    REFERENCES organization_role (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX organization_invitation_role_by_role
  ON organization_invitation_role (organization_id, role_id);

-- Registrations through an invitation: a person who confirms one becomes a member.
CREATE TABLE organization_invitation_registration (
  registration_id uuid PRIMARY KEY,
  invitation_id   uuid NOT NULL REFERENCES organization_invitation ON DELETE CASCADE,
  -- the account that the registration became and that is to join; null: not confirmed yet
  account_id      uuid REFERENCES account ON DELETE CASCADE
);
CREATE INDEX organization_invitation_registration_by_invitation
  ON organization_invitation_registration (invitation_id);
CREATE INDEX organization_invitation_registration_by_account
  ON organization_invitation_registration (account_id);
-- The accounts that wait to join, which are listed every minute.
CREATE INDEX organization_invitation_registration_pending
  ON organization_invitation_registration (registration_id) WHERE account_id IS NOT NULL;
