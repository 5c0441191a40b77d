import { segmentsText } from '../../data/text/text-size.ts'
import { t, tn, tx } from '../../language/words.ts'
import { confirmedForMany, peopleWords } from '../../parts/dialog/confirm-many-people.tsx'
import { formatDateTime } from '../../parts/time.tsx'
import { ListCost } from './list-cost.tsx'
import type { ListText } from './list-rows.ts'

/** Asks the user before many texts are sent. `scheduledAt`: the time to send them; '' for now. */
export function isListConfirmed(texts: readonly ListText[], scheduledAt: string): Promise<boolean> {
  const first = texts[0]!
  const people = new Set(texts.map(({ phone }) => phone)).size
  const segments = texts.reduce((sum, text) => sum + text.segments, 0)
  return confirmedForMany({
    people,
    what: tx('{texts} go to {people}, which takes {segments} in all. The first text, to {number}:', {
      texts: <strong>{tn('1 text', '{count} texts', texts.length)}</strong>,
      people: <strong>{peopleWords(people)}</strong>,
      segments: <strong>{segmentsText(segments)}</strong>,
      number: first.phone,
    }),
    firstText: first.body,
    cost: <ListCost texts={texts} />,
    begins: scheduledAt
      ? t('They leave on {time}.', { time: formatDateTime(scheduledAt) })
      : t('They leave after 10 seconds, in which you can undo it.'),
    isLater: scheduledAt !== '',
  })
}
