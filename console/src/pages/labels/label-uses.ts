import { countRecords, pb } from '../../data/client.ts'
import { describeNamingRecords, type Use } from '../../data/list-names.ts'
import { t, tn } from '../../language/words.ts'

/** A filter for conversations or contacts with a label. */
export const makeLabelFilter = (id: string): string => pb.filter('labels:each ?= {:id}', { id })

/** Records that name labels. */
const USES: readonly Use[] = [
  ['inbox_views', 'labels ~ {:id}', (names) => t('Views that list by it: {names}.', { names })],
  [
    'auto_answers',
    'label = {:id}',
    (names) => t('Automatic answers that set it: {names}.', { names }),
  ],
  ['hooks', 'label = {:id}', (names) => t('Incoming webhooks that set it: {names}.', { names })],
]

/** The changes that a label's deletion makes: how many records lose it, and which name it. */
export async function describeUses(id: string): Promise<string> {
  const [conversations, contacts, uses] = await Promise.all([
    countRecords('conversations', makeLabelFilter(id)),
    countRecords('contacts', makeLabelFilter(id)),
    describeNamingRecords(USES, id),
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
    ...uses,
  ]
    .filter(Boolean)
    .join(' ')
}
