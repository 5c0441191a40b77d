import { useEffect, useState } from 'preact/hooks'
import { matchAny, pb } from '../../data/client.ts'
import { joinBadRows, type Sheet } from '../../data/files/sheet.ts'
import type { Message } from '../../data/record-types.ts'
import { formatNumber, t } from '../../language/words.ts'
import { BadRows } from '../../parts/bad-rows.tsx'
import { Actions, Button, ButtonLink, Notice } from '../../parts/form/form.tsx'
import { Card, Facts } from '../../parts/page.tsx'
import { makePageHref } from '../../router.ts'
import type { ListPlan } from './list-rows.ts'
import type { ListOutcome } from './send-texts.ts'

export function ListReport({
  sheet,
  plan,
  outcome,
  onAgain,
}: {
  sheet: Sheet
  plan: ListPlan
  outcome: ListOutcome
  onAgain: () => void
}) {
  const { accepted, before, refused } = outcome
  const filter = useFilter(accepted)
  const failed = refused.map(({ text: { row }, why }) => ({ row, why }))
  const bad = joinBadRows(sheet, plan.bad, failed)
  const figures = [
    [t('Accepted#texts'), formatNumber(accepted.size - before)],
    [t('Sent before'), formatNumber(before)],
    [t('Left out#rows'), formatNumber(bad.length)],
  ] as const
  return (
    <Card title={t('Done')}>
      <Facts class="figures" facts={figures} />
      {before > 0 && (
        <Notice>
          {t(
            'The same text to the same number within a day is not sent twice. It was accepted earlier.',
          )}
        </Notice>
      )}
      <BadRows sheet={sheet} bad={bad} />
      <Actions>
        {filter && (
          <ButtonLink kind="primary" icon="messages" href={makePageHref('/messages', { filter })}>
            {t('See what becomes of them')}
          </ButtonLink>
        )}
        <Button onClick={onAgain}>{t('Another file')}</Button>
      </Actions>
    </Card>
  )
}

/** The oldest message is among this many first rows: rows are sent in order, but several at a time. */
const FIRST_ROWS = 12

/** A filter for outgoing messages not older than the list's oldest one; '' until its time is known. */
function useFilter(accepted: ListOutcome['accepted']): string {
  const [filter, setFilter] = useState('')
  const rows = [...accepted].sort(([a], [b]) => a - b).slice(0, FIRST_ROWS)
  const first = matchAny(
    'id',
    rows.map(([, id]) => id),
  )
  useEffect(() => {
    if (first === '') return
    pb.collection<Message>('sms_messages')
      .getFirstListItem(first, { sort: 'created', fields: 'created' })
      .then(
        ({ created }) =>
          setFilter(
            pb.filter('message_type = "outgoing" && created >= {:since}', { since: created }),
          ),
        () => {}, // deleted meanwhile: show nothing
      )
  }, [first])
  return filter
}
