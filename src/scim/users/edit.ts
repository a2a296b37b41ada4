import { malformed } from '../../platform/errors/refusal.ts';
import { normalizeAddress } from '../../platform/text/address.ts';
import { booleanOf } from '../filter/condition.ts';
import { selects } from '../filter/select.ts';
import { invalidValue, isObject, readText, soleValueOf, stepsOfObject } from '../operations.ts';
import type { Step } from '../operations.ts';
import type { UserAttributes } from './store.ts';

/** What a request sets of a user: an absent field stays as it is, null clears it. */
export interface UserEdit {
  /** In lower case. */
  user_name?: string;
  external_id?: string | null;
  given_name?: string | null;
  family_name?: string | null;
  display_name?: string | null;
  /** The address of the account, normalized. */
  email?: string | null;
  active?: boolean;
  /** Used only when an account is created. */
  language?: string | null;
}

type Apply = (edit: UserEdit, value: unknown, step: Step) => void;

const text =
  (field: 'external_id' | 'given_name' | 'family_name' | 'display_name' | 'language'): Apply =>
  (edit, value, { path }) => {
    edit[field] = readText(path.attribute, value);
  };

/** How each supported attribute is set; others are ignored. */
const attributes: Readonly<Record<string, Apply>> = {
  username(edit, value) {
    const name = readText('userName', value);
    if (name === null) throw invalidValue('userName', 'a text');
    edit.user_name = name.toLowerCase();
  },
  externalid: text('external_id'),
  'name.givenname': text('given_name'),
  'name.familyname': text('family_name'),
  displayname: text('display_name'),
  preferredlanguage: text('language'),
  active(edit, value) {
    const active = booleanOf(soleValueOf(value));
    if (active === null) throw invalidValue('active', '`true` or `false`');
    edit.active = active;
  },
  name(edit, value, { op }) {
    if (!isObject(value)) throw invalidValue('name', 'an object');
    for (const [part, one] of Object.entries(value))
      applyStep(edit, {
        op,
        path: { attribute: `name.${part.toLowerCase()}`, root: 'name', filter: null },
        value: one,
      });
  },
  emails(edit, value, step) {
    if (!isOwnEmail(step)) return;
    edit.email = addressOf(step.path.filter === null ? value : [value].flat());
  },
  'emails.value'(edit, value, step) {
    if (isOwnEmail(step)) edit.email = readAddress(value);
  },
};

/** A user has one address, which is of type `work` and primary: paths that select another miss it. */
const isOwnEmail = ({ path: { filter } }: Step) =>
  filter === null ||
  selects(filter, { type: 'work', primary: true, 'emails.type': 'work', 'emails.primary': true });

/** Returns the primary address of a list, else the one for work, else the first. */
function addressOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  const all = [value].flat();
  if (!all.every(isObject)) throw invalidValue('emails', 'a list of objects');
  const chosen =
    all.find(({ primary }) => booleanOf(primary) === true) ??
    all.find(({ type }) => type === 'work') ??
    all[0];
  return chosen === undefined ? null : readAddress(chosen['value']);
}

function readAddress(value: unknown): string | null {
  const written = readText('emails.value', value);
  if (written === null) return null;
  const address = normalizeAddress(written);
  if (address === null) throw invalidValue('emails.value', 'an e-mail address');
  return address;
}

function applyStep(edit: UserEdit, step: Step): void {
  const { op, path, value } = step;
  const apply = Object.hasOwn(attributes, path.attribute) ? attributes[path.attribute] : undefined;
  if (apply === undefined) return;
  if (op !== 'remove') return apply(edit, value, step);
  if (path.attribute === 'username' || path.attribute === 'active')
    throw malformed('fixed_attribute', `\`${path.attribute}\` cannot be removed.`);
  if (path.attribute === 'name') {
    edit.given_name = null;
    edit.family_name = null;
  } else if (path.root !== 'emails') apply(edit, null, step);
}

/** Returns what the changes of a PATCH set. */
export function editOf(steps: readonly Step[]): UserEdit {
  const edit: UserEdit = {};
  for (const step of steps) applyStep(edit, step);
  return edit;
}

/** A user as POST and PUT send it: attributes that are missing are cleared. */
export type UserDraft = UserEdit & UserAttributes;

export function draftOf(body: Readonly<Record<string, unknown>>): UserDraft {
  const edit = editOf(stepsOfObject('replace', body));
  const { user_name } = edit;
  if (user_name === undefined) throw invalidValue('userName', 'present');
  const cleared = { external_id: null, given_name: null, family_name: null, display_name: null };
  return { ...cleared, ...edit, user_name };
}
