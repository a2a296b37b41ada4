import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { request } from '../../api/request.ts';
import { Page } from '../../parts/page.tsx';
import { NeedsPermission } from '../parts/problem.tsx';
import { useOrganization } from '../use-organization.ts';
import { mayIn, RoleForm } from './role-form.tsx';
import { ROLE_KINDS, rolesPath } from './role-kinds.ts';
import type { Role, RoleKind } from './role-kinds.ts';

export const NewRolePage = () => <NewRole kind="organization" />;
export const NewTeamRolePage = () => <NewRole kind="team" />;

const NO_ROLE = { name: '', description: '', permissions: [], capabilities: [] };

/** Creates a role. */
function NewRole({ kind }: { kind: RoleKind }) {
  const { t } = useTranslation();
  const { id, may } = useOrganization();
  const navigate = useNavigate();
  const queries = useQueryClient();
  return (
    <Page title={t('roles.create')}>
      {may(mayIn(kind, 'create')) ? (
        <RoleForm
          kind={kind}
          saved={NO_ROLE}
          action={t('roles.create')}
          send={(body) => request<Role>(rolesPath(kind, id), { body: { name: '', ...body } })}
          onSaved={async () => {
            await queries.invalidateQueries();
            await navigate({ to: ROLE_KINDS[kind].place, params: { organizationId: id } });
          }}
        />
      ) : (
        <NeedsPermission permission={mayIn(kind, 'create')} />
      )}
    </Page>
  );
}
