import { Link } from '@tanstack/react-router';
import type { Subject } from '../../../explorer/schema.ts';
import { useOrganization } from '../../organizations/use-organization.ts';
import { subjectName } from './subjects.ts';

/** The name of a subject, which opens what it can do. */
export function SubjectLink({ subject }: { subject: Subject }) {
  const { id } = useOrganization();
  return (
    <Link
      to="/app/org/$organizationId/access"
      params={{ organizationId: id }}
      search={{ kind: subject.kind, subject: subject.id }}
      className="quiet-link"
    >
      <bdi>{subjectName(subject)}</bdi>
    </Link>
  );
}
