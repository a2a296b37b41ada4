import { MEMBER_ROLE } from '../../../caller/system-roles.ts';
import type { ConnectionRecord } from '../../../sso/connections/schema.ts';
import type { Seat } from '../parts/seats-field.tsx';

export const ATTRIBUTES = ['email', 'first_name', 'last_name'] as const;

/** Values of the form of an identity provider; fields that the service never returns start empty. */
export type ConnectionValues = {
  protocol: ConnectionRecord['protocol'];
  name: string;
  issuer: string;
  client_id: string;
  client_secret: string;
  metadata: string;
  /** Names of the attributes to read; empty for the usual ones. */
  email: string;
  first_name: string;
  last_name: string;
  /** Roles and teams of people who join through the provider. */
  role_ids: string[];
  teams: Seat[];
};

export const valuesOfConnection = (saved: ConnectionRecord | null): ConnectionValues => ({
  protocol: saved?.protocol ?? 'oidc',
  name: saved?.name ?? '',
  issuer: saved?.oidc?.issuer ?? '',
  client_id: saved?.oidc?.client_id ?? '',
  client_secret: '',
  metadata: '',
  email: saved?.attributes.email ?? '',
  first_name: saved?.attributes.first_name ?? '',
  last_name: saved?.attributes.last_name ?? '',
  role_ids: saved?.role_ids ?? [MEMBER_ROLE],
  teams: saved?.teams ?? [],
});

/** Returns the body that adds a provider. */
export const connectionDraftOf = ({ protocol, ...values }: ConnectionValues) => ({
  protocol,
  name: values.name,
  ...(protocol === 'oidc'
    ? { oidc: { ...clientOf(values), client_secret: values.client_secret } }
    : { saml: { metadata: values.metadata } }),
  ...joiningOf(values),
});

/** Returns the body that changes a provider: only what differs, and secrets that were typed. */
export function connectionEditOf(saved: ConnectionRecord, values: ConnectionValues): object {
  const { client_secret, metadata } = values;
  const partsOf = (entered: ConnectionValues) => ({
    name: entered.name,
    ...(saved.protocol === 'oidc' ? { oidc: clientOf(entered) } : {}),
    ...joiningOf(entered),
  });
  const before: Record<string, unknown> = partsOf(valuesOfConnection(saved));
  const changed: Record<string, object | string> = Object.fromEntries(
    Object.entries(partsOf(values)).filter(
      ([field, value]) => JSON.stringify(value) !== JSON.stringify(before[field]),
    ),
  );
  return {
    ...changed,
    ...(client_secret === '' ? {} : { oidc: { ...clientOf(values), client_secret } }),
    ...(metadata.trim() === '' ? {} : { saml: { metadata } }),
  };
}

type Entered = Omit<ConnectionValues, 'protocol'>;

const clientOf = ({ issuer, client_id }: Entered) => ({ issuer, client_id });

const joiningOf = ({ role_ids, teams, ...values }: Entered) => ({
  attributes: Object.fromEntries(
    ATTRIBUTES.map((name) => [name, values[name].trim() === '' ? null : values[name].trim()]),
  ),
  role_ids,
  teams,
});
