import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';

export interface Violation {
  rule: string;
  /** The HTML of every element that violates it. */
  elements: string[];
}

/** Fewer rules than every page passes, even the smallest. */
const FEWEST_RULES = 15;

/** Examines a page with axe, without the elements that match a selector. */
export async function findViolations(page: Page, without?: string): Promise<Violation[]> {
  const axe = new AxeBuilder({ page })
    // Axe otherwise computes a selector for every element that passes, which takes most of its time.
    .options({ resultTypes: ['violations'] })
    // There are no frames of other origins, for which it would open another page.
    .setLegacyMode(true);
  const { violations, passes } = await (
    without === undefined ? axe : axe.exclude(without)
  ).analyze();
  if (passes.length < FEWEST_RULES) throw new Error(`axe applied only ${passes.length} rules.`);
  return violations.map(({ id, nodes }) => ({ rule: id, elements: nodes.map(({ html }) => html) }));
}
