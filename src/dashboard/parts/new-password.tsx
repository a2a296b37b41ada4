import { Group, PasswordInput, Progress, Text } from '@mantine/core';
import type { PasswordInputProps } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  MIN_PASSWORD_LENGTH,
  MIN_PASSWORD_SCORE,
  scorePassword,
} from '../../platform/text/password-strength.ts';

interface NewPasswordProps extends PasswordInputProps {
  /** What is known about the person, which a password must not consist of. */
  personal: readonly string[];
}

/** A field for a new password that shows how the service will judge it. */
export function NewPassword({ personal, ...props }: NewPasswordProps) {
  const { t } = useTranslation();
  const password = typeof props.value === 'string' ? props.value : '';
  return (
    <div>
      <PasswordInput
        description={t('sign_up.password_rule')}
        name="new-password"
        autoComplete="new-password"
        required
        minLength={MIN_PASSWORD_LENGTH}
        maxLength={128}
        {...props}
      />
      {password !== '' && <Strength password={password} personal={personal} />}
    </div>
  );
}

const MAX_SCORE = 4;

const VERDICTS = {
  short: { color: 'red', value: 15 },
  guessable: { color: 'orange', value: 40 },
  good: { color: 'teal', value: 75 },
  strong: { color: 'teal', value: 100 },
} as const;

type Verdict = keyof typeof VERDICTS;

/** Shows nothing until the rules are loaded; the service decides in any case. */
function Strength({ password, personal }: { password: string; personal: readonly string[] }) {
  const { t } = useTranslation();
  const verdict = useVerdict(password, personal);
  if (verdict === null) return null;
  return (
    <Group mt={6} gap="xs" wrap="nowrap">
      <Progress
        {...VERDICTS[verdict]}
        flex={1}
        size="sm"
        aria-label={t('password_strength.label')}
      />
      <Text size="xs" role="status">
        {t(`password_strength.${verdict}`)}
      </Text>
    </Group>
  );
}

function useVerdict(password: string, personal: readonly string[]): Verdict | null {
  const [verdict, setVerdict] = useState<Verdict | null>(null);
  const known = personal.join('\n');
  useEffect(() => {
    let isCurrent = true;
    scorePassword(password, known.split('\n')).then(
      (score) => isCurrent && setVerdict(verdictOf(password, score)),
      () => isCurrent && setVerdict(null),
    );
    return () => void (isCurrent = false);
  }, [password, known]);
  return verdict;
}

function verdictOf(password: string, score: number): Verdict {
  if (Array.from(password).length < MIN_PASSWORD_LENGTH) return 'short';
  if (score < MIN_PASSWORD_SCORE) return 'guessable';
  return score < MAX_SCORE ? 'good' : 'strong';
}
