import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { request } from '../../api/request.ts';
import { Page } from '../../parts/page.tsx';
import { NeedsPermission } from '../parts/problem.tsx';
import { RoleForm } from './role-form.tsx';
import { InTeamPlace } from './in-team-place.tsx';
import { neededFor, parentsOf, useRolePlace } from './role-kinds.ts';
import type { Role, RolePlace } from './role-kinds.ts';

export const NewRolePage = () => <NewRole place={useRolePlace('organization')} />;
export const NewTeamRolePage = () => <NewRole place={useRolePlace('team')} />;
export const NewOwnRolePage = () => (
  <InTeamPlace>{(place) => <NewRole place={place} />}</InTeamPlace>
);

const NO_ROLE = { name: '', description: '', permissions: [], capabilities: [] };

/** Creates a role. */
function NewRole({ place }: { place: RolePlace }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const queries = useQueryClient();
  return (
    <Page
      title={
        place.team === null ? t('roles.create') : t('roles.create_in', { team: place.team.title })
      }
      parents={parentsOf(place, t)}
    >
      {place.may(neededFor(place, 'create')) ? (
        <RoleForm
          kind={place.kind}
          saved={NO_ROLE}
          action={t('roles.create')}
          send={(body) => request<Role>(place.api, { body: { name: '', ...body } })}
          onSaved={async () => {
            await queries.invalidateQueries();
            await navigate({ href: place.list });
          }}
        />
      ) : (
        <NeedsPermission permission={neededFor(place, 'create')} />
      )}
    </Page>
  );
}
