/** An account's own tuples; its keys project theirs. */
export function accountTuples(account: {
  id: string;
  status: 'active' | 'deactivated';
}): { user: string; relation: string; object: string }[] {
  // A deactivated account is refused by its row at once; its seat goes with it all the same.
  if (account.status !== 'active') return [];
  return [{ user: `user:${account.id}`, relation: 'session', object: `account:${account.id}` }];
}
