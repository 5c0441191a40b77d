import type { ComponentChildren } from 'preact'
import { formatMoney } from '../../data/money.ts'
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
import { Time } from '../../parts/time.tsx'
import { UsagePlot } from '../../parts/usage-plot/usage-plot.tsx'
import { makePageHref } from '../../router.ts'
import { FirstSteps } from '../../shell/first-steps.tsx'
import { OptOutLanguages } from './opt-out-languages.tsx'

interface Person {
  readonly sender: string
  readonly open: number
  readonly answers: number
  readonly median_seconds: number | null
}

interface Hand {
  readonly kind: 'silent_device' | 'failing_line' | 'failed_campaign' | 'former_member'
  readonly id: string
  readonly name: string
  readonly since: string
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

/** The figures of the account: today, its last seven days, its people, and what needs a person. */
export function Page() {
  const { value, fault } = useAnswer<Today>('/api/account/today', EVERY_MS)
  return (
    <Frame title={t('Today')}>
      <FirstSteps />
      <OptOutLanguages />
      <Reading value={value} fault={fault} />
      {value && (
        <>
          <Hands hands={value.hands} />
          <Figures today={value} />
          <Card title={t('The last 7 days')}>
            <UsagePlot days={value.days} />
          </Card>
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
    <ul class="tiles">
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

const HANDS: Readonly<Record<Hand['kind'], readonly [words: string, path: string]>> = {
  silent_device: [t('This device is silent'), '/devices/'],
  failing_line: [t('Texts of this line fail'), '/devices'],
  failed_campaign: [t('This campaign failed'), '/campaigns/'],
  former_member: [t('Added by a former directory: keep or remove'), '/team'],
}

const makeHandPath = ({ kind, id }: Hand): string => {
  const [, path] = HANDS[kind]
  return path.endsWith('/') ? path + id : path
}

function Hands({ hands }: { hands: readonly Hand[] }) {
  if (hands.length === 0) return null
  const columns: readonly Column<Hand>[] = [
    { title: t('Name'), cell: ({ name }) => name || '–' },
    { title: t('What'), cell: ({ kind }) => HANDS[kind][0] },
    { title: t('Since'), cell: ({ since }) => <Time at={since} /> },
  ]
  return (
    <Card title={t('Needs a hand')}>
      <Table
        caption={t('Needs a hand')}
        columns={columns}
        rows={hands}
        href={(hand) => makePageHref(makeHandPath(hand))}
      />
    </Card>
  )
}

function People({ people }: { people: readonly Person[] }) {
  const { findName } = usePeople()
  const columns: readonly Column<Person & { id: string }>[] = [
    { title: t('Name'), cell: ({ sender }) => findName(sender) },
    { title: t('Open conversations'), align: 'end', cell: ({ open }) => formatNumber(open) },
    { title: t('First answers'), align: 'end', cell: ({ answers }) => formatNumber(answers) },
    {
      title: t('Half of them within'),
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
