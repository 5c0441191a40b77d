import { WEBHOOK_EVENTS } from '../../data/records.ts'
import { EVENT_WORDS } from '../../data/webhooks/webhooks.ts'
import { t } from '../../language/words.ts'
import { linesRow } from './common-rows.tsx'
import type { FormRow } from './rows.ts'
import type { Value } from './values.ts'

/** Converts typed numbers and sender names (`+49 30*, DHL`) to the stored text: `+4930*,DHL`. */
const readNumbers = (typed: Value): string =>
  String(typed)
    .split(/[,;\n]/)
    .map((one) => one.trim().replace(/^00/, '+'))
    .map((one) => (one.startsWith('+') ? one.replace(/[\s()/-]/g, '') : one))
    .filter((one) => one !== '')
    .join(',')

/** The URL of a webhook, and its events. */
export const WEBHOOK_ROWS: readonly FormRow[] = [
  { name: 'url', label: t('Address'), placeholder: 'https://shop.example.com/hooks/sms' },
  {
    ...{ name: 'events', label: t('Tell it when a message is') },
    choices: WEBHOOK_EVENTS.map((event) => [event, EVENT_WORDS[event]] as const),
  },
  linesRow(t('Only messages of these lines (none: of all)')),
  {
    ...{ name: 'numbers', label: t('Only to and from these numbers (empty: all)'), write: readNumbers },
    placeholder: '+4915112345678, +4930*, DHL',
    refused: t('Write numbers as +4915112345678, with commas between.'),
    hint: t('With commas between. A star stands for any rest, and a name for a sender without a number.'),
  },
]
