import { pb } from '../../data/client.ts'
import { listNames } from '../../data/list-names.ts'
import { t } from '../../language/words.ts'

/** The collections whose records send to groups, and a sentence with the names of those records. */
const USERS = [
  [
    'campaigns',
    "groups ~ {:id} && repeat != null && (status = 'repeating' || status = 'paused')",
    (names: string) => t('Campaigns that repeat and go to it no more: {names}.', { names }),
  ],
  [
    'hooks',
    'groups ~ {:id}',
    (names: string) => t('Incoming webhooks that text it no more: {names}.', { names }),
  ],
] as const

/** What the deletion of a group changes, and what sends to it again and again. */
export async function describeGroupUses({
  id,
  name,
}: {
  id: string
  name: string
}): Promise<string> {
  const users = await Promise.all(
    USERS.map(([collection, filter]) => listNames(collection, pb.filter(filter, { id }))),
  )
  const sentences = USERS.map(([, , write], i) => users[i] && write(users[i]))
  return [t('The contacts in {name} stay.', { name }), ...sentences].filter(Boolean).join(' ')
}
