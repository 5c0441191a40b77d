import { describeNamingRecords, type Use } from '../../data/list-names.ts'
import { t } from '../../language/words.ts'

/** Senders to groups. */
const USES: readonly Use[] = [
  [
    'campaigns',
    "groups ~ {:id} && repeat != null && (status = 'repeating' || status = 'paused')",
    (names) => t('Campaigns that repeat and go to it no more: {names}.', { names }),
  ],
  [
    'hooks',
    'groups ~ {:id}',
    (names) => t('Incoming webhooks that text it no more: {names}.', { names }),
  ],
]

/** The changes that a group's deletion makes, and the campaigns that repeat to it. */
export async function describeGroupUses({
  id,
  name,
}: {
  id: string
  name: string
}): Promise<string> {
  return [
    t('The contacts in {name} stay.', { name }),
    ...(await describeNamingRecords(USES, id)),
  ].join(' ')
}
