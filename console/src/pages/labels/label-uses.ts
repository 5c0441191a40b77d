import { countRecords, pb } from '../../data/client.ts'
import { listNames } from '../../data/list-names.ts'
import { t, tn } from '../../language/words.ts'

/** Counts the conversations or contacts with a label. */
export const countLabelled = (collection: string, id: string): Promise<number> =>
  countRecords(collection, pb.filter('labels:each ?= {:id}', { id }))

/** The collections whose records name labels, and a sentence with the names of those records. */
const USERS = [
  [
    'inbox_views',
    'labels ~ {:id}',
    (names: string) => t('Views that list by it: {names}.', { names }),
  ],
  [
    'auto_answers',
    'label = {:id}',
    (names: string) => t('Automatic answers that set it: {names}.', { names }),
  ],
  [
    'hooks',
    'label = {:id}',
    (names: string) => t('Incoming webhooks that set it: {names}.', { names }),
  ],
] as const

/** What a deletion of the label changes: how many records lose it, and what names it. */
export async function describeUses(id: string): Promise<string> {
  const [conversations, contacts, ...users] = await Promise.all([
    countLabelled('conversations', id),
    countLabelled('contacts', id),
    ...USERS.map(([collection, filter]) => listNames(collection, pb.filter(filter, { id }))),
  ])
  return [
    tn(
      'One conversation loses it. The conversation stays.',
      '{count} conversations lose it. The conversations stay.',
      conversations,
    ),
    contacts > 0 &&
      tn(
        'One contact loses it and stays, too.',
        '{count} contacts lose it and stay, too.',
        contacts,
      ),
    ...USERS.map(([, , write], i) => users[i] && write(users[i])),
  ]
    .filter(Boolean)
    .join(' ')
}
