import type { ComponentChildren } from 'preact'
import { formatMoney } from '../../data/money.ts'
import { hasTeamRole } from '../../data/session.ts'
import { usePeople } from '../../data/team/people.ts'
import { formatBounded } from '../../data/unread.ts'
import { countKind, KINDS, type UsageDay } from '../../data/usage.ts'
import { useAnswer } from '../../data/use/use-answer.ts'
import { writeStateFilter } from '../../data/words/message-states.ts'
import { locale } from '../../language/language.ts'
import { formatNumber, t } from '../../language/words.ts'
import { type Column, Table } from '../../parts/list/table.tsx'
import { Card, Page as Frame, Reading } from '../../parts/page.tsx'
import { Tile } from '../../parts/tile.tsx'
import { UsagePlot } from '../../parts/usage-plot/usage-plot.tsx'
import { makePageHref } from '../../router.ts'
import { FirstSteps } from '../../shell/first-steps.tsx'
import { OptOutLanguages } from './opt-out-languages.tsx'
import { type Hand, WorkOfToday } from './work.tsx'
import './page.css'

interface Person {
  readonly sender: string
  readonly open: number
  readonly answers: number
  readonly median_seconds: number | null
}

interface Online {
  readonly online: number
  readonly all: number
}

/** The answer of GET /api/account/today. */
interface Today {
  readonly days: readonly UsageDay[]
  readonly waiting: number
  readonly devices: Online
  readonly lines: Online
  readonly cost: {
    readonly currency: string
    readonly spent: string
    readonly budget: string | null
  } | null
  readonly people: readonly Person[]
  readonly hands: readonly Hand[]
}

const EVERY_MS = 30_000

/** Work that waits for a person today. Admins also see what their devices need, and the figures below. */
export function Page() {
  const { value, fault } = useAnswer<Today>('/api/account/today', EVERY_MS)
  const isAdmin = hasTeamRole('admin')
  return (
    <Frame title={t('Today')}>
      <FirstSteps />
      <Reading value={value} fault={fault} />
      {value && (
        <WorkOfToday
          day={value.days.at(-1)!.day}
          waiting={value.waiting}
          hands={isAdmin ? value.hands : []}
        />
      )}
      <OptOutLanguages />
      {value && isAdmin && (
        <>
          <Figures today={value} />
          <div class="today-plot">
            <Card title={t('The last 7 days')}>
              <UsagePlot days={value.days} />
            </Card>
          </div>
          <People people={value.people} />
        </>
      )}
    </Frame>
  )
}

const findKind = (id: (typeof KINDS)[number]['id']) => KINDS.find((kind) => kind.id === id)!

const OnlineTile = ({ title, of: { online, all } }: { title: string; of: Online }) => (
  <Tile
    title={title}
    value={all === 0 ? '–' : t('{count} of {total}', { count: online, total: all })}
    note={all === 0 ? t('Simulated phones do not count.') : undefined}
    tone={online < all ? 'bad' : 'calm'}
    href={makePageHref('/devices')}
  />
)

function Figures({ today: { days, waiting, devices, lines, cost } }: { today: Today }) {
  const count = (id: (typeof KINDS)[number]['id']) => countKind(days.at(-1)!, findKind(id))
  const from = days.at(-1)!.day
  const link = (state: string) => makePageHref('/messages', { state, from })
  const sent = findKind('done').states.map(writeStateFilter).join(' || ')
  return (
    <ul class="tiles today-figures">
      <Tile
        title={t('Sent today')}
        value={formatNumber(count('done'))}
        href={makePageHref('/messages', { filter: sent, from })}
      />
      <Tile
        title={t('Failed today')}
        value={formatNumber(count('failed'))}
        tone={count('failed') > 0 ? 'bad' : 'calm'}
        href={link('failed')}
      />
      <Tile
        title={t('Received today')}
        value={formatNumber(count('received'))}
        href={link('received')}
      />
      <Tile
        title={t('Waiting for an answer')}
        value={formatBounded(waiting)}
        href={makePageHref('/conversations', { view: 'waiting' })}
      />
      <OnlineTile title={t('Devices online')} of={devices} />
      <OnlineTile title={t('Lines online')} of={lines} />
      {cost && (
        <Tile
          title={t('Cost of this month')}
          value={formatMoney(cost.spent, cost.currency)}
          note={
            cost.budget === null
              ? undefined
              : t('of {budget}', { budget: formatMoney(cost.budget, cost.currency) })
          }
          href={makePageHref('/usage')}
        />
      )}
    </ul>
  )
}

function People({ people }: { people: readonly Person[] }) {
  const { findName } = usePeople()
  const columns: readonly Column<Person & { id: string }>[] = [
    { title: t('Name'), cell: ({ sender }) => findName(sender) },
    { title: t('Open conversations'), align: 'end', cell: ({ open }) => formatNumber(open) },
    { title: t('First answers'), align: 'end', cell: ({ answers }) => formatNumber(answers) },
    {
      title: t('Half answered within'),
      align: 'end',
      cell: ({ median_seconds: seconds }): ComponentChildren =>
        seconds === null ? '–' : formatWait(seconds),
    },
  ]
  return (
    <Card title={t('Answers of 7 days')}>
      <Table
        caption={t('Answers of 7 days')}
        columns={columns}
        rows={people.map((person) => ({ ...person, id: person.sender }))}
      />
    </Card>
  )
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

/** A time such as `4 min`; at least a minute. */
function formatWait(seconds: number): string {
  const [unit, length] = UNITS.find(([, least]) => seconds >= least) ?? UNITS[2]
  const format = new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'short' })
  return format.format(Math.max(1, Math.round(seconds / length)))
}
