-- The contact that an organization's invoices name, entered by its Owner. No row: none was entered.
CREATE TABLE organization_billing (
  organization_id uuid PRIMARY KEY REFERENCES organization ON DELETE CASCADE,
  name            text,
  email           text,
  address         text,
  tax_id          text
);
