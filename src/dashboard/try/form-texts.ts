import { TranslatableString as Text } from '@rjsf/utils';
import type { Texts } from '../texts/english.ts';
import type { Translate } from '../texts/texts.ts';

/** The texts that the form adds to those of a schema; others say that it cannot show an argument. */
const NAMES: Readonly<Partial<Record<Text, keyof Texts['try']['form']>>> = {
  [Text.ArrayItemTitle]: 'item',
  [Text.EmptyArray]: 'empty',
  [Text.YesLabel]: 'yes',
  [Text.NoLabel]: 'no',
  [Text.NewStringDefault]: 'new_value',
  [Text.AddButton]: 'add',
  [Text.AddItemButton]: 'add_item',
  [Text.CopyButton]: 'copy',
  [Text.MoveDownButton]: 'move_down',
  [Text.MoveUpButton]: 'move_up',
  [Text.RemoveButton]: 'remove',
  [Text.NowLabel]: 'now',
  [Text.ClearLabel]: 'clear',
  [Text.ClearButton]: 'clear',
  [Text.AriaDateLabel]: 'date',
  [Text.PreviewLabel]: 'preview',
  [Text.DecrementAriaLabel]: 'decrease',
  [Text.IncrementAriaLabel]: 'increase',
  [Text.OptionalObjectAdd]: 'add_optional',
  [Text.OptionalObjectRemove]: 'remove_optional',
  [Text.OptionalObjectEmptyMsg]: 'no_optional',
  [Text.Type]: 'type',
  [Text.Value]: 'value',
  [Text.OptionPrefix]: 'option',
  [Text.TitleOptionPrefix]: 'option_of',
  [Text.KeyLabel]: 'key',
  [Text.DeprecatedLabel]: 'deprecated',
};

/** Returns the function with which the form finds its texts. */
export const formTexts =
  (t: Translate) =>
  (text: Text, [first = '', second = '']: readonly string[] = []): string =>
    t(`try.form.${NAMES[text] ?? 'unsupported'}`, { first, second });
