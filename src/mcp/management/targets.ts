import type { AgentPrincipal } from '../../caller/principal.ts';
import type { ItemFamily, Space } from '../../content/content.ts';
import { spaceIn } from '../../content/content.ts';
import { absent, forbidden, malformedFields } from '../../platform/errors/refusal.ts';
import { placeOf } from '../../visibility/visibility.ts';
import type { Place, View, Visibility } from '../../visibility/visibility.ts';
import type { Call } from '../protocol/call.ts';

export type TargetsDependencies = Pick<Visibility, 'reach' | 'mayWrite'>;

interface Work {
  call: Call;
  view: View;
  items: { kind: Pick<ItemFamily, 'family' | 'permissions'> };
}

/** Returns the space of an item in the caller's places. */
export const spaceOfItem = (
  caller: AgentPrincipal,
  view: View,
  item: { space_id: string },
): Space => spaceAt(caller, placeOf(view, item));

const spaceAt = (caller: AgentPrincipal, { space_id, prefix }: Place): Space =>
  spaceIn(caller, { id: space_id, team: prefix.name.slice(0, -1) });

/** Finds the spaces that management tools write to, and checks that the caller may. */
export function createTargets(visibility: TargetsDependencies) {
  async function requireWrite(
    { call: { caller }, items }: Work,
    place: Place,
    verb: 'create' | 'update' | 'delete',
  ): Promise<Space> {
    const space = spaceAt(caller, place);
    const permission = `can_${items.kind.permissions}_${verb}`;
    if (!(await visibility.mayWrite(caller, space, permission)))
      throw forbidden(
        'capability_denied',
        space.kind === 'organization'
          ? 'The catalog of an organization cannot be changed over MCP.'
          : 'This credential lacks the permission to change items of this space.',
      );
    return space;
  }

  return {
    /** Returns the named space; the name is required if the caller has several spaces. */
    async spaceForCreate(work: Work, name: string | undefined): Promise<Space> {
      const { places } = work.view;
      // A personal space is the only place: the name has no effect.
      if (isPersonal(work)) return requireWrite(work, places[0], 'create');
      if (name === undefined) throw spaceRequired();
      const place = places.find(({ prefix }) => nameOf(prefix.name) === name);
      if (place === undefined) throw absent('no such space');
      return requireWrite(work, place, 'create');
    },

    /**
     * Returns the space of an item, which the caller may be able to write but not to read. Throws
     * 404 for an item of a catalog that the caller does not see.
     */
    async spaceOfTarget(work: Work, id: string, verb: 'update' | 'delete'): Promise<Space> {
      const { view, items } = work;
      if (isPersonal(work)) return requireWrite(work, view.places[0], verb);
      const { family } = items.kind;
      const place = view.places.find(({ contents }) =>
        contents.items.some((item) => item.id === id && item.family === family),
      );
      const isSeen =
        place !== undefined &&
        (place.exposure === null || visibility.reach(view, family, id) !== null);
      if (!isSeen) throw absent('no such item of the caller');
      return requireWrite(work, place, verb);
    },
  };
}

const isPersonal = ({ call, view }: Work) =>
  spaceAt(call.caller, view.places[0]).kind === 'personal';

/** Returns a place's name as used in `space`; the name of the catalog is `organization`. */
const nameOf = (prefix: string) => (prefix === '' ? 'organization' : prefix.slice(0, -1));

const spaceRequired = () =>
  malformedFields([
    {
      code: 'invalid_params',
      message: 'is required in an organization',
      detail: { pointer: '/space' },
    },
  ]);
