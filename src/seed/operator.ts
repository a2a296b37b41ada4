import type { RequestFacts } from '../caller/route.ts';
import type { PlanName } from '../platform/config/plans.ts';
import type { Body } from './steps/step.ts';

/** The fields of a person in the file, with a new password. */
export type NewPerson = Body & { password: string };

/** Operator actions for which there is no REST route. */
export interface OperatorActions {
  /** Returns the account with an address; null if there is none. */
  findAccount(email: string): Promise<string | null>;
  /** Throws a refusal with all problems of a new person's fields. */
  checkPerson(person: NewPerson): void;
  /** Creates a verified account with this password. */
  createAccount(person: NewPerson): Promise<string>;
  deleteAccount(id: string): Promise<void>;
  deleteOrganization(owner: Session, organization: { id: string; name: string }): Promise<void>;
  /** Makes a person a member, as the Owner would by an invitation. */
  join(
    owner: Session,
    member: { organization_id: string; account_id: string; role_ids: readonly string[] },
  ): Promise<void>;
  setPlan(kind: 'person' | 'organization', id: string, plan: PlanName): Promise<void>;
  openSession(account_id: string): Promise<Session>;
  newPassword(): string;
}

/** A session of a person, in which the operator acts. */
export interface Session {
  token: string;
  request: RequestFacts;
  end(): Promise<void>;
}
