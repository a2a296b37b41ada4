-- Third parties that were removed: their address alone does not bring them back to that account.

CREATE TABLE account_unlinked_identity (
  account_id  uuid NOT NULL REFERENCES account ON DELETE CASCADE,
  issuer      text NOT NULL,
  subject     text NOT NULL,
  unlinked_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, issuer, subject)
);
