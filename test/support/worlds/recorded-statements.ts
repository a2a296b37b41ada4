/** Creates a function that wraps a connection, and records its statements without their values. */
export const recordingIn =
  (operations: string[]) =>
  <Connection extends object>(connection: Connection): Connection =>
    new Proxy(connection, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        return (...args: unknown[]) => {
          const [query] = args as [{ sql?: string } | undefined];
          if (query?.sql !== undefined) operations.push(query.sql.replaceAll(/\s+/g, ' ').trim());
          return Reflect.apply(member, target, args);
        };
      },
    });
