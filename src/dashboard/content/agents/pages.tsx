import { useTranslation } from 'react-i18next';
import { ItemPage } from '../item-page.tsx';
import { ItemsPage } from '../items-page.tsx';
import { NewItemPage } from '../new-item-page.tsx';
import { agentFamily } from './agent-family.ts';
import type { ListedAgent } from './agent.ts';
import { Fact } from '../../parts/row.tsx';

export const AgentsPage = () => (
  <ItemsPage family={agentFamily} nameOf={({ name }: ListedAgent) => name} Facts={Facts} />
);
export const NewAgentPage = () => <NewItemPage family={agentFamily} />;
export const AgentPage = () => <ItemPage family={agentFamily} />;

function Facts({ entry }: { entry: ListedAgent }) {
  const { t } = useTranslation();
  const count = entry.components.length;
  return <Fact isNumber>{count > 0 && t('content.agents.component_count', { count })}</Fact>;
}
