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
  asked?: Session;
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
  passwords: number;
  isActive: boolean;
  /**
   * Former addresses still reserved for the account, oldest first, with `passwords` at that time.
   */
  kept: { address: string; passwords: number }[];
}

export interface AccountModel {
  /** The address of the first registration. */
  base: string;
  waiting: Registration[];
  account: Account | null;
  links: Link[];
  sessions: Session[];
  /** Kinds of e-mails sent less than five minutes ago. */
  cooling: Set<string>;
  registrationEmails: number;
}

const MAX_EMAILS_PER_HOUR = 6;

export const createModel = (base: string): AccountModel => ({
  base,
  waiting: [],
  account: null,
  links: [],
  sessions: [],
  cooling: new Set(),
  registrationEmails: 0,
});

/** Returns whether an e-mail of this kind may be sent now; starts its five-minute cooldown. */
function cools(model: AccountModel, kind: string): boolean {
  if (model.cooling.has(kind)) return false;
  model.cooling.add(kind);
  return true;
}

const kill = (links: readonly Link[]) => {
  for (const link of links) if (link.state === 'live') link.state = 'dead';
};
const endAll = (model: AccountModel, keep?: Session) => {
  for (const session of model.sessions) if (session !== keep) session.isLive = false;
};
const of = (model: AccountModel, kind: Link['kind'], address?: string) =>
  model.links.filter(
    (link) => link.kind === kind && (address === undefined || link.address === address),
  );

/** Returns the registration whose link is sent, or null if no e-mail is. */
export function register(model: AccountModel, password: string): Registration | null {
  const registration = { password, mark: {} };
  model.waiting.push(registration);
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
  const latest = model.waiting.at(-1);
  if (model.account !== null || latest === undefined || !cools(model, 'resend')) return undefined;
  return model.waiting.every(({ mark }) => mark === latest.mark) ? latest : null;
}

export function verify(model: AccountModel, link: Link): number {
  if (link.state === 'used') return 200;
  if (link.state === 'dead') return 422;
  const { registration } = link;
  const password = registration?.password ?? null;
  model.account = { address: model.base, password, passwords: 0, isActive: true, kept: [] };
  for (const other of of(model, 'verify')) {
    const isSame = other.registration === null || other.registration === registration;
    if (other.state === 'live') other.state = isSame ? 'used' : 'dead';
  }
  model.waiting = [];
  return 200;
}

export function signIn(
  { account, waiting, base }: AccountModel,
  address: string,
  password: string,
): 'in' | 'unverified' | 'wrong' {
  const isRight = account?.address === address && account.password === password;
  if (isRight && account.isActive) return 'in';
  return address === base && waiting.at(-1)?.password === password ? 'unverified' : 'wrong';
}

export const isAccepted = ({ account }: AccountModel, session: Session): boolean =>
  session.isLive && account?.isActive === true;

/** Returns whether an e-mail with a link is sent. */
export function askReset(model: AccountModel, address: string): boolean {
  const { account, waiting, base } = model;
  const isTheirs = account
    ? account.address === address && account.isActive
    : address === base && waiting.length > 0;
  if (!isTheirs || !cools(model, account ? 'reset' : `reset ${address}`)) return false;
  kill(of(model, 'reset', address));
  return true;
}

export function reset(model: AccountModel, link: Link, password: string): number {
  const { account } = model;
  if (link.state !== 'live') return 422;
  if (account === null) {
    const mark = {};
    for (const one of model.waiting) Object.assign(one, { password, mark });
    for (const one of of(model, 'verify'))
      if (one.state === 'live') one.registration ??= model.waiting.at(-1)!;
    link.state = 'dead';
    return 200;
  }
  if (!account.isActive || account.address !== link.address) return 422;
  setPassword(account, password);
  link.state = 'dead';
  endAll(model);
  kill(of(model, 'confirm'));
  return 200;
}

function setPassword(account: Account, password: string | null): void {
  account.password = password;
  account.passwords += 1;
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
  endAll(model, session);
  kill([...of(model, 'confirm'), ...of(model, 'reset', account.address)]);
  return 204;
}

/** Returns the status, and whether an e-mail with a link is sent. */
export function askEmail(
  model: AccountModel,
  session: Session,
  current: string,
): { status: number; isEmailSent: boolean } {
  if (!isAccepted(model, session)) return { status: 401, isEmailSent: false };
  if (model.account!.password !== current) return { status: 403, isEmailSent: false };
  return { status: 202, isEmailSent: cools(model, 'email_confirm') };
}

function move(model: AccountModel, account: Account, to: string): void {
  kill([...of(model, 'confirm'), ...of(model, 'reset', to)]);
  kill(of(model, 'reset', account.address));
  account.address = to;
  if (to === model.base) model.waiting = [];
}

/** Returns the status; on 200 an undo link is sent to the former address. */
export function confirmEmail(model: AccountModel, link: Link): number {
  const { account } = model;
  if (account === null || !account.isActive || link.state !== 'live') return 422;
  account.kept.push({ address: account.address, passwords: account.passwords });
  move(model, account, link.address);
  endAll(model, link.asked);
  return 200;
}

export function undoEmail(model: AccountModel, link: Link): number {
  const { account } = model;
  if (account === null || link.state !== 'live') return 422;
  move(model, account, link.address);
  const at = account.kept.findIndex(({ address }) => address === link.address);
  const freed = account.kept.splice(at);
  for (const { address } of freed) kill(of(model, 'undo', address));
  // A password set after the change may be that of the person who made the change.
  if (freed[0]!.passwords !== account.passwords) setPassword(account, null);
  for (const kind of ['reset', 'email_confirm']) model.cooling.delete(kind);
  endAll(model);
  return 200;
}

/** Deletes the account; afterwards the address is as if it had never been used. */
export function deleteAccount(model: AccountModel, session: Session, current: string): number {
  if (!isAccepted(model, session)) return 401;
  if (model.account!.password !== current) return 403;
  model.account = null;
  model.waiting = [];
  endAll(model);
  for (const link of model.links) link.state = 'dead';
  model.cooling.clear();
  model.registrationEmails = 0;
  return 204;
}

export function deactivate(model: AccountModel): void {
  model.account!.isActive = false;
  endAll(model);
}
