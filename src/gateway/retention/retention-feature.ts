import type { Store } from '../../engine/collections/catalog.ts'
import type { Extensions } from '../../engine/records/collection-extension.ts'
import type { Config } from '../../platform/config.ts'
import { EVERY_TEN_MINUTES, type Feature, HOURLY } from '../base/feature.ts'
import { endOldConsents, listConsentAccounts } from './delete-old-consents.ts'
import { endTextsOfMembers, listGroupAccounts } from './end-old-group-texts.ts'
import { endOldMessages } from './end-old-messages.ts'
import { makeRetentionIndex } from './make-retention-index.ts'

export const RETENTION: Feature = {
  timed: ({ store, extensions, config: { retention }, stopping }) => [
    {
      id: 'retention',
      ...EVERY_TEN_MINUTES,
      run: () => endOldMessages(store, extensions, retention, stopping),
    },
    {
      id: 'retentionByPerson',
      ...HOURLY,
      run: () => endOldByPerson(store, extensions, retention, stopping),
    },
  ],
}

/**
 * Ends old records that are found by person: texts of members of groups with days of their own, and replaced
 * entries of `consents`. Reads all contacts and entries of these accounts, until `signal` aborts. Stops while
 * another node does it.
 */
export async function endOldByPerson(
  store: Store,
  extensions: Extensions,
  { mode, days }: Config['retention'],
  signal?: AbortSignal,
): Promise<void> {
  const withGroups = await listGroupAccounts(store.db)
  if (withGroups.length > 0 && (await makeRetentionIndex(store.db, mode, 'people')))
    for (const user of withGroups) await endTextsOfMembers(store, extensions, mode, user, signal)
  for (const user of await listConsentAccounts(store.db))
    await endOldConsents(store, user, days, signal)
}
