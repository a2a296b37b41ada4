import type { Database, Transaction } from '../../../src/platform/postgres/database.ts';

/** Runs work in a transaction, and returns how many statements that took. */
export async function countStatements(
  database: Pick<Database, 'transaction'>,
  work: (transaction: Transaction) => Promise<unknown>,
): Promise<number> {
  let statements = 0;
  await database.transaction((transaction) =>
    work(
      new Proxy(transaction, {
        get(target, name) {
          const member: unknown = Reflect.get(target, name);
          if (typeof member !== 'function') return member;
          return (...args: unknown[]): unknown => {
            statements += 1;
            return Reflect.apply(member, target, args);
          };
        },
      }),
    ),
  );
  return statements;
}
