import { Badge, Code } from '@mantine/core';
import { IconChevronRight } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { Moment } from '../parts/moment.tsx';
import { shortId } from '../parts/short-id.ts';
import type { Translate } from '../texts/texts.ts';
import { listOf } from '../texts/texts.ts';
import type { AuditEntryRecord } from './audit.ts';
import classes from './audit.module.css';

/** An entry in one row, which opens to show all of it. */
export function AuditEntry({
  entry,
  memberPage,
}: {
  entry: AuditEntryRecord;
  memberPage: ((accountId: string) => string) | undefined;
}) {
  const { t } = useTranslation();
  const { at, address, action, outcome, target, detail } = entry;
  const actor = actorOf(entry, t);
  const targets = listOf(target.map(nameOf));
  const people = memberPage === undefined ? [] : target.filter(({ type }) => type === 'account');
  return (
    <li>
      <details>
        <summary className={`fold list-row ${classes.row}`}>
          <span className={classes.time}>
            <Moment at={at} />
          </span>
          <span className={classes.actor} title={actor}>
            <bdi>{actor}</bdi>
          </span>
          <span className={classes.action}>
            <span title={action} dir="ltr">
              {action}
            </span>
            {outcome === 'refused' && (
              <Badge size="sm" variant="light" color="red">
                {t('audit.refused')}
              </Badge>
            )}
          </span>
          <span className={classes.target} title={targets}>
            <bdi>{targets}</bdi>
          </span>
          <IconChevronRight size={16} aria-hidden className="fold-mark" />
        </summary>
        <div className={classes.content}>
          {people.map((one) => (
            <Link key={one.id} to={memberPage!(one.id)} className="text-link">
              <bdi>{nameOf(one)}</bdi>
            </Link>
          ))}
          <Code block tabIndex={0}>
            {JSON.stringify({ at, actor, address, target, detail }, null, 2)}
          </Code>
        </div>
      </details>
    </li>
  );
}

const nameOf = ({ type, id, name }: AuditEntryRecord['target'][number]): string =>
  name ?? `${type} ${shortId(id)}`;

/** Who did it: the member, the credential by its name, or what kind of credential it is. */
function actorOf({ actor, credential }: AuditEntryRecord, t: Translate): string {
  if (actor.email !== undefined && actor.email !== null) return actor.email;
  if (credential?.name !== undefined) return credential.name;
  // The address of a person who has left is not known.
  if (actor.email === null && actor.kind === 'user' && actor.id !== null) return shortId(actor.id);
  return t(`audit.actor.${credential?.kind ?? actor.kind}`);
}
