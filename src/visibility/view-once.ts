import type { AgentPrincipal } from '../caller/principal.ts';
import type { View } from './decide.ts';

interface Known {
  /** `Authz.generation` before the view was read. */
  generation: object;
  /** Weak once it is read: the view cache limits the memory of views. */
  view: Promise<View> | WeakRef<View>;
}

/**
 * Creates a function that reads the view once per caller object, which stands for one state of the
 * credential's row and of its scopes: requests with the same object share the view. Failures are not
 * remembered, and neither are views of decisions that were dropped.
 */
export function createViewOnce(
  readView: (caller: AgentPrincipal) => Promise<View>,
  generationNow: () => object,
) {
  const views = new WeakMap<AgentPrincipal, Known>();

  function begin(caller: AgentPrincipal, generation: object): Promise<View> {
    const reading = readView(caller);
    const known: Known = { generation, view: reading };
    views.set(caller, known);
    reading.then(
      (view) => (known.view = new WeakRef(view)),
      () => views.get(caller) === known && views.delete(caller),
    );
    return reading;
  }

  /** Returns the view, one that is being read, or undefined. */
  function find(caller: AgentPrincipal, generation: object): View | Promise<View> | undefined {
    const known = views.get(caller);
    if (known?.generation !== generation) return undefined;
    return known.view instanceof WeakRef ? known.view.deref() : known.view;
  }

  return async function viewOf(caller: AgentPrincipal): Promise<View> {
    const reading = find(caller, generationNow());
    if (reading instanceof Promise) {
      try {
        return await reading;
      } catch {
        // It began before this request, so its time may have run out while this request has some left.
      }
    }
    const generation = generationNow();
    return find(caller, generation) ?? begin(caller, generation);
  };
}
