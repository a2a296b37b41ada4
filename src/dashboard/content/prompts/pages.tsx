import { useTranslation } from 'react-i18next';
import { ItemPage } from '../item-page.tsx';
import { ItemsPage } from '../items-page.tsx';
import { NewItemPage } from '../new-item-page.tsx';
import { promptFamily } from './prompt-family.ts';
import type { ListedPrompt } from './prompt.ts';
import { Fact } from '../../parts/row.tsx';

export const PromptsPage = () => (
  <ItemsPage family={promptFamily} nameOf={({ name }: ListedPrompt) => name} Facts={Facts} />
);
export const NewPromptPage = () => <NewItemPage family={promptFamily} />;
export const PromptPage = () => <ItemPage family={promptFamily} />;

function Facts({ entry }: { entry: ListedPrompt }) {
  const { t } = useTranslation();
  const count = entry.arguments.length;
  return <Fact isNumber>{count > 0 && t('content.prompts.argument_count', { count })}</Fact>;
}
