import type { Engine } from '../../../src/authz/engine/client.ts';
import { createEvaluator, schemaOf, typeOf } from '../../model/evaluator.ts';

/** Permissions that only the Owner's session has (G3). */
export const OWNER_ONLY = ['can_delete', 'can_billing_update', 'can_ownership_transfer'];

/** The types of the objects that requests are checked on. */
const CHECKED_TYPES: readonly string[] = ['account', 'membership', 'service', 'team_seat'];
/** Relations that let a credential be used at all; a person does not need them. */
const CREDENTIAL_USE = ['can_see', 'can_connect', 'can_scope_own_keys'];

interface Person {
  account: string;
  organization: string;
}

/** A new credential, with the teams it is bound to; null if it follows teams. */
export interface NewCredential {
  subject: `${'api_key' | 'org_key'}:${string}`;
  teams: readonly string[] | null;
}

/**
 * Reads the model and all tuples, and returns a function that compares a credential with a person.
 */
export async function readAuthority(engine: Engine) {
  const schema = schemaOf(await engine.readModel());
  const tuples = (await Array.fromAsync(engine.readAll())).flat();
  const { check } = createEvaluator(schema, tuples);
  const objects = [...new Set(tuples.map(({ object }) => object))].filter((object) =>
    CHECKED_TYPES.includes(typeOf(object)),
  );
  const decisionsOn = (object: string) =>
    [...schema.get(typeOf(object))!.keys()].filter((name) => /^can_|^active$/.test(name));

  /** Returns everything that a subject may do, as pairs of object and relation. */
  const allowed = (subject: string): [object: string, relation: string][] =>
    objects.flatMap((object) =>
      decisionsOn(object)
        .filter((relation) => check(subject, relation, object))
        .map((relation): [string, string] => [object, relation]),
    );

  /** Returns whether a person may do what a credential may do on an object. */
  function mayGive(
    { account, organization }: Person,
    { teams }: NewCredential,
    [object, relation]: [string, string],
  ): boolean {
    const user = `user:${account}`;
    const home = `membership:${organization}.${account}`;
    const managesEvery = check(user, 'can_manage_every_team', home);
    const capability = /^can_use_(\w+)$/.exec(relation)?.[1];
    if (capability !== undefined) {
      const seats = tuples
        .filter((one) => one.relation === 'joined' && one.user === home)
        .map((one) => one.object)
        .filter((seat) => teams?.some((team) => seat.startsWith(`team_seat:${team}.`)) !== false);
      return typeOf(object) === 'account'
        ? check(user, 'can_manage_keys', object)
        : [home, ...seats].some((one) => check(user, `role_mcp_${capability}`, one));
    }
    if (typeOf(object) === 'team_seat') {
      const [team = ''] = object.slice('team_seat:'.length).split('.');
      const seat = `team_seat:${team}.${account}`;
      const isJoined = tuples.some(
        (one) => one.object === seat && one.relation === 'joined' && one.user === home,
      );
      if (relation === 'active') return isJoined || managesEvery;
      return managesEvery || check(user, relation, seat);
    }
    if (CREDENTIAL_USE.includes(relation)) return true;
    return check(user, relation, typeOf(object) === 'service' ? home : object);
  }

  return {
    allowed,
    /** The relations that requests check on objects of a type. */
    decisionsOn,
    /** Returns what a credential may do and the person who created it may not. */
    excess: (person: Person, credential: NewCredential) =>
      allowed(credential.subject)
        .filter((one) => !mayGive(person, credential, one))
        .map((one) => one.join(' ')),
  };
}
