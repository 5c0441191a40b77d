import { parseDate } from '../../data/text/local-time.ts'
import { locale } from '../../language/language.ts'
import { t } from '../../language/words.ts'
import { makePageHref } from '../../router.ts'
import type { Entry } from './entries.ts'

/** At least this many sends of one text at the same time are taken for a list. */
const LIST_LENGTH = 5

/** Links to the texts of lists, which are sends of one text each. */
export function ListLinks({ rows, timeZone }: { rows: readonly Entry[]; timeZone: string }) {
  const alone = rows.filter(({ send }) => send && !send.is_batch)
  const lists = [...Map.groupBy(alone, ({ at }) => at)].filter(
    ([, { length }]) => length >= LIST_LENGTH,
  )
  const hour = new Intl.DateTimeFormat(locale, { timeStyle: 'short', timeZone })
  return lists.map(([at]) => (
    <p key={at}>
      <a
        href={makePageHref('/messages', { filter: `scheduled_at = "${at}" && status = "pending"` })}
      >
        {t('All texts for {time} in Messages, where you can cancel them together', {
          time: hour.format(parseDate(at)),
        })}
      </a>
    </p>
  ))
}
