import { useState } from 'preact/hooks'
import { formatBytes } from '../../data/backups.ts'
import { session } from '../../data/session.ts'
import { allOf, countOf, KINDS, type Usage, type UsageDay } from '../../data/usage.ts'
import { useAnswer } from '../../data/use/use-answer.ts'
import { locale } from '../../language/language.ts'
import { formatNumber, t, tx } from '../../language/words.ts'
import { Segments } from '../../parts/form/field.tsx'
import { ButtonLink, Notice } from '../../parts/form/form.tsx'
import { Empty } from '../../parts/list/empty.tsx'
import { type Column, Table } from '../../parts/list/table.tsx'
import { Card, Page as Frame, Loading, Progress } from '../../parts/page.tsx'
import { Time } from '../../parts/time.tsx'
import { to } from '../../router.ts'
import './page.css'

const SPANS = [7, 30, 90] as const
const EVERY_MS = 30_000

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

type Row = UsageDay & { readonly id: string }

const COLUMNS: readonly Column<Row>[] = [
  { title: t('Day'), cell: ({ day }) => day },
  ...KINDS.map(
    (kind): Column<Row> => ({
      title: kind.words,
      align: 'end',
      cell: (day) => formatNumber(countOf(day, kind)),
    }),
  ),
]

const DayTable = ({ days }: { days: readonly UsageDay[] }) => {
  const rows = days.filter((day) => allOf(day) > 0).map((day) => ({ ...day, id: day.day }))
  return (
    <details class="usage-table">
      <summary>{t('As a table')}</summary>
      <Table caption={t('Messages by day')} columns={COLUMNS} rows={rows.reverse()} />
    </details>
  )
}

/** SVG units: STEP is the width of a bar with its gap, BAR of the bar alone; HEIGHT is that of the plot. */
const STEP = 10
const BAR = 7
const HEIGHT = 1000

const dayName = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' })
const named = (day: string) => dayName.format(new Date(day))

/** A bar for each day, stacked by the outcome of the messages. The table below the plot has the figures. */
function Plot({ days }: { days: readonly UsageDay[] }) {
  const top = roundUp(Math.max(...days.map(allOf)))
  const marks = [days[0], days[Math.floor(days.length / 2)], days.at(-1)]
  return (
    <figure class="usage-plot">
      <div class="usage-scale" aria-hidden="true">
        <span>{formatNumber(top)}</span>
        <span>{formatNumber(top / 2)}</span>
        <span>0</span>
      </div>
      <svg
        role="img"
        aria-label={t('Messages a day, {first} to {last}. The table has the figures.', {
          first: named(days[0]!.day),
          last: named(days.at(-1)!.day),
        })}
        viewBox={`0 0 ${days.length * STEP} ${HEIGHT}`}
        preserveAspectRatio="none"
      >
        <path
          class="usage-grid"
          d={[0, 0.5, 1].map((y) => `M0 ${y * HEIGHT}h${days.length * STEP}`).join('')}
        />
        {days.map((day, at) => (
          <Bar key={day.day} day={day} x={at * STEP + (STEP - BAR) / 2} top={top} />
        ))}
      </svg>
      <div class="usage-days" aria-hidden="true">
        {marks.map((day) => day && <span key={day.day}>{named(day.day)}</span>)}
      </div>
    </figure>
  )
}

function Bar({ day, x, top }: { day: UsageDay; x: number; top: number }) {
  let y = HEIGHT
  const told = KINDS.map((kind) => `${kind.words}: ${countOf(day, kind)}`).join(', ')
  return (
    <g>
      <title>{`${named(day.day)} · ${told}`}</title>
      <rect class="usage-room" x={x} y={0} width={BAR} height={HEIGHT} />
      {KINDS.map((kind) => {
        const height = (countOf(day, kind) / top) * HEIGHT
        y -= height
        return <rect key={kind.id} class={`usage-${kind.id}`} x={x} y={y} width={BAR} height={height} />
      })}
    </g>
  )
}

/** Rounds up to a multiple of 2 if `most` is below 100, of 20 below 1,000, of 200 below 10,000 and so on. */
function roundUp(most: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(most, 2)))
  const step = power >= 10 ? power / 5 : 2
  return Math.max(2, Math.ceil(most / step) * step)
}

const QUOTA_EVERY_MS = 30_000
const month = new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric', timeZone: 'UTC' })

function Quota() {
  const { value } = useAnswer<Usage>('/api/sms/usage', QUOTA_EVERY_MS)
  if (!value) return null
  const { used, quota, remaining, period, resets_at, files } = value
  return (
    <Card title={month.format(new Date(`${period}-01`))}>
      {quota === 0 ? (
        <p>
          {tx(
            used === 1
              ? '{used} message this month. There is no limit.'
              : '{used} messages this month. There is no limit.',
            { used: <strong class="usage-figure">{formatNumber(used)}</strong> },
          )}
        </p>
      ) : (
        <>
          <p>
            {tx('{used} of {quota} messages this month.', {
              used: <strong class="usage-figure">{formatNumber(used)}</strong>,
              quota: formatNumber(quota),
            })}
          </p>
          <Progress value={used} max={quota} label={t('{count} are left', { count: remaining ?? 0 })} />
          <p class="muted">{tx('The count starts anew {when}.', { when: <Time at={resets_at} /> })}</p>
        </>
      )}
      <Files {...files} />
    </Card>
  )
}

const Files = ({ bytes, limit }: Usage['files']) => (
  <p class="muted">
    {limit === 0
      ? t('Files take {size}.', { size: formatBytes(bytes) })
      : t('Files take {size} of {limit}.', { size: formatBytes(bytes), limit: formatBytes(limit) })}
  </p>
)
