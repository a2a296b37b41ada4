/**
 * Model of an account, written only from the specification's states and decisions.md: each step
 * returns the expected response and updates the expected state.
 */
export interface Registration {
  password: string;
  /** Registrations with the same mark got their password from the same reset. */
  mark: object;
}

export interface Link {
  kind: 'verify' | 'reset' | 'confirm' | 'undo';
  token: string;
  address: string;
  state: 'live' | 'used' | 'dead';
  /** For a verification link: the registration whose password it activates, or null for none. */
  registration: Registration | null;
  /** For a confirmation link: the session that requested it. */
  requestedBy?: Session;
}

export interface Session {
  access: string;
  refresh: string;
  isLive: boolean;
}

export interface Account {
  address: string;
  /** Null if no password is set. */
  password: string | null;
  /** Number of password changes since the account was created. */
  passwordChanges: number;
  isActive: boolean;
  /**
   * Former addresses still reserved for the account, oldest first, with `passwordChanges` at that
   * time.
   */
  reserved: { address: string; passwordChanges: number }[];
}

export interface AccountModel {
  /** The address of the first registration. */
  base: string;
  pending: Registration[];
  account: Account | null;
  links: Link[];
  sessions: Session[];
  /** Kinds of e-mails sent less than five minutes ago. */
  cooldowns: Set<string>;
  registrationEmails: number;
}

const MAX_EMAILS_PER_HOUR = 6;

export const createModel = (base: string): AccountModel => ({
  base,
  pending: [],
  account: null,
  links: [],
  sessions: [],
  cooldowns: new Set(),
  registrationEmails: 0,
});

/** Returns whether an e-mail of this kind may be sent now; starts its five-minute cooldown. */
function startCooldown(model: AccountModel, kind: string): boolean {
  if (model.cooldowns.has(kind)) return false;
  model.cooldowns.add(kind);
  return true;
}

const invalidate = (links: readonly Link[]) => {
  for (const link of links) if (link.state === 'live') link.state = 'dead';
};
const endSessions = (model: AccountModel, except?: Session) => {
  for (const session of model.sessions) if (session !== except) session.isLive = false;
};
const linksOf = (model: AccountModel, kind: Link['kind'], address?: string) =>
  model.links.filter(
    (link) => link.kind === kind && (address === undefined || link.address === address),
  );

/** Returns the registration whose link is sent, or null if no e-mail is sent. */
export function register(model: AccountModel, password: string): Registration | null {
  const registration = { password, mark: {} };
  model.pending.push(registration);
  if (model.account !== null) return null;
  if (model.registrationEmails >= MAX_EMAILS_PER_HOUR) return null;
  model.registrationEmails += 1;
  return registration;
}

/**
 * Returns the registration that the sent link activates, null if it activates none, or undefined if
 * no e-mail is sent.
 */
export function resend(model: AccountModel): Registration | null | undefined {
  const latest = model.pending.at(-1);
  if (model.account !== null || latest === undefined || !startCooldown(model, 'resend'))
    return undefined;
  return model.pending.every(({ mark }) => mark === latest.mark) ? latest : null;
}

export function verify(model: AccountModel, link: Link): number {
  if (link.state === 'used') return 200;
  if (link.state === 'dead') return 422;
  const { registration } = link;
  const password = registration?.password ?? null;
  model.account = {
    address: model.base,
    password,
    passwordChanges: 0,
    isActive: true,
    reserved: [],
  };
  for (const other of linksOf(model, 'verify')) {
    const isSame = other.registration === null || other.registration === registration;
    if (other.state === 'live') other.state = isSame ? 'used' : 'dead';
  }
  model.pending = [];
  return 200;
}

export function signIn(
  { account, pending, base }: AccountModel,
  address: string,
  password: string,
): 'in' | 'unverified' | 'wrong' {
  const isRight = account?.address === address && account.password === password;
  if (isRight && account.isActive) return 'in';
  return address === base && pending.at(-1)?.password === password ? 'unverified' : 'wrong';
}

export const isAccepted = ({ account }: AccountModel, session: Session): boolean =>
  session.isLive && account?.isActive === true;

/** Returns whether an e-mail with a link is sent. */
export function requestReset(model: AccountModel, address: string): boolean {
  const { account, pending, base } = model;
  const isTheirs = account
    ? account.address === address && account.isActive
    : address === base && pending.length > 0;
  if (!isTheirs || !startCooldown(model, account ? 'reset' : `reset ${address}`)) return false;
  invalidate(linksOf(model, 'reset', address));
  return true;
}

export function reset(model: AccountModel, link: Link, password: string): number {
  const { account } = model;
  if (link.state !== 'live') return 422;
  if (account === null) {
    const mark = {};
    for (const pending of model.pending) Object.assign(pending, { password, mark });
    for (const other of linksOf(model, 'verify'))
      if (other.state === 'live') other.registration ??= model.pending.at(-1)!;
    link.state = 'dead';
    return 200;
  }
  if (!account.isActive || account.address !== link.address) return 422;
  setPassword(account, password);
  link.state = 'dead';
  endSessions(model);
  invalidate(linksOf(model, 'confirm'));
  return 200;
}

function setPassword(account: Account, password: string | null): void {
  account.password = password;
  account.passwordChanges += 1;
}

export function changePassword(
  model: AccountModel,
  session: Session,
  { current, next }: { current: string; next: string },
): number {
  if (!isAccepted(model, session)) return 401;
  const account = model.account!;
  if (account.password !== current) return 403;
  setPassword(account, next);
  endSessions(model, session);
  invalidate([...linksOf(model, 'confirm'), ...linksOf(model, 'reset', account.address)]);
  return 204;
}

/** Returns the status, and whether an e-mail with a link is sent. */
export function requestEmailChange(
  model: AccountModel,
  session: Session,
  current: string,
): { status: number; isEmailSent: boolean } {
  if (!isAccepted(model, session)) return { status: 401, isEmailSent: false };
  if (model.account!.password !== current) return { status: 403, isEmailSent: false };
  return { status: 202, isEmailSent: startCooldown(model, 'email_confirm') };
}

function changeAddress(model: AccountModel, account: Account, to: string): void {
  invalidate([...linksOf(model, 'confirm'), ...linksOf(model, 'reset', to)]);
  invalidate(linksOf(model, 'reset', account.address));
  account.address = to;
  if (to === model.base) model.pending = [];
}

/** Returns the status; on 200 an undo link is sent to the former address. */
export function confirmEmail(model: AccountModel, link: Link): number {
  const { account } = model;
  if (account === null || !account.isActive || link.state !== 'live') return 422;
  account.reserved.push({ address: account.address, passwordChanges: account.passwordChanges });
  changeAddress(model, account, link.address);
  endSessions(model, link.requestedBy);
  return 200;
}

export function undoEmail(model: AccountModel, link: Link): number {
  const { account } = model;
  if (account === null || link.state !== 'live') return 422;
  changeAddress(model, account, link.address);
  const index = account.reserved.findIndex(({ address }) => address === link.address);
  const freed = account.reserved.splice(index);
  for (const { address } of freed) invalidate(linksOf(model, 'undo', address));
  // A password set after the change may be that of the person who made the change.
  if (freed[0]!.passwordChanges !== account.passwordChanges) setPassword(account, null);
  for (const kind of ['reset', 'email_confirm']) model.cooldowns.delete(kind);
  endSessions(model);
  return 200;
}

/** Deletes the account; afterwards the address is as if it had never been used. */
export function deleteAccount(model: AccountModel, session: Session, current: string): number {
  if (!isAccepted(model, session)) return 401;
  if (model.account!.password !== current) return 403;
  model.account = null;
  model.pending = [];
  endSessions(model);
  for (const link of model.links) link.state = 'dead';
  model.cooldowns.clear();
  model.registrationEmails = 0;
  return 204;
}

export function deactivate(model: AccountModel): void {
  model.account!.isActive = false;
  endSessions(model);
}
