/** Authority changed between decision and commit: decide again, starting with authentication. */
export class ConcurrentUpdate extends Error {
  constructor() {
    super('a scope of the decision changed before the commit');
    this.name = 'ConcurrentUpdate';
  }
}

/**
 * Thrown for objects that a change touches and does not list. They may be new since the list was
 * read; if the change omits them again, it is a bug.
 */
export class ObjectsOmitted extends ConcurrentUpdate {
  constructor(message: string) {
    super();
    this.message = message;
  }
}
