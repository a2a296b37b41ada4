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
 * credential's row and of its scopes: requests with the same object share the view. A failure is
 * not remembered, and neither is a view of decisions that were dropped.
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

  return async function viewOf(caller: AgentPrincipal): Promise<View> {
    const generation = generationNow();
    const known = views.get(caller);
    const view = known?.generation === generation ? known.view : undefined;
    return (view instanceof WeakRef ? view.deref() : view) ?? begin(caller, generation);
  };
}
