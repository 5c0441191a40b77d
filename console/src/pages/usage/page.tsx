import { formatNumber, t } from '../../language/words.ts'
import './page.css'
import { useState } from 'preact/hooks'
import { session } from '../../data/session.ts'
import { countOf, KINDS, type UsageDay } from '../../data/usage.ts'
import { useAnswer } from '../../data/use/use-answer.ts'
import { ButtonLink } from '../../parts/form/button.tsx'
import { Notice } from '../../parts/form/form.tsx'
import { Segments } from '../../parts/form/segments.tsx'
import { Empty } from '../../parts/list/empty.tsx'
import { Card, Page as Frame } from '../../parts/page.tsx'
import { Loading } from '../../parts/wait.tsx'
import { to } from '../../router.ts'
import { DayTable } from './day-table.tsx'
import { Plot } from './plot.tsx'
import { Quota } from './quota.tsx'

const SPANS = [7, 30, 90] as const
const EVERY_MS = 30_000

/** Messages by day, and the quota left this month. */
export function Page() {
  const [days, setDays] = useState<number>(30)
  const { value, fault } = useAnswer<{ days: readonly UsageDay[] }>(
    `/api/sms/usage/days?days=${days}`,
    EVERY_MS,
  )
  const isUser = session.value?.role === 'user'
  const sums = KINDS.map((kind) => (value?.days ?? []).reduce((sum, day) => sum + countOf(day, kind), 0))
  const isEmpty = value !== undefined && sums.every((sum) => sum === 0)
  return (
    <Frame title={t('Usage')} text={isUser ? undefined : t('Of all users together.')}>
      {isUser && <Quota />}
      {fault && <Notice kind="wrong">{fault.message}</Notice>}
      {!value && !fault && <Loading />}
      {value && (
        <Card title={t('Messages by day')} actions={<Span days={days} onDays={setDays} />}>
          {isEmpty ? (
            <Nothing isUser={isUser} />
          ) : (
            <>
              <ul class="usage-sums">
                {KINDS.map((kind, at) => (
                  <li key={kind.id} class={`usage-${kind.id}`}>
                    <strong>{formatNumber(sums[at]!)}</strong> {kind.words}
                  </li>
                ))}
              </ul>
              <Plot days={value.days} />
              <DayTable days={value.days} />
            </>
          )}
        </Card>
      )}
    </Frame>
  )
}

const Span = ({ days, onDays }: { days: number; onDays: (days: number) => void }) => (
  <Segments
    legend={t('How far back')}
    choices={SPANS.map((span) => [span, t('{count} days', { count: span })] as const)}
    chosen={days}
    onChoose={onDays}
  />
)

const Nothing = ({ isUser }: { isUser: boolean }) => (
  <Empty
    icon="usage"
    title={t('No messages in this time')}
    action={
      isUser && (
        <ButtonLink kind="primary" icon="send" needs="agent" href={to('/send')}>
          {t('Send the first one')}
        </ButtonLink>
      )
    }
  >
    {t('Figures stand here as soon as there is a message.')}
  </Empty>
)
