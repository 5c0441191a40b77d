import { describeNamingRecords, type Use } from '../../data/list-names.ts'
import { t } from '../../language/words.ts'

/** What sends to groups. */
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

/** What the deletion of a group changes, and what sends to it again and again. */
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
