import type { ComponentChildren } from 'preact'
import { isSimulated } from '../data/device/lines.ts'
import type { Device } from '../data/record-types.ts'
import { parseDate } from '../data/text/local-time.ts'
import { readNowMs } from '../data/text/now.ts'
import { dateTime, formatDayAndHour, formatRelativeTime, hour } from '../data/text/relative-time.ts'
import { accountZone, HERE } from '../data/time-zones.ts'
import {
  MESSAGE_STATES,
  readState,
  type ShownState,
  type State,
  type Stated,
  type Tone,
  writeStateFilter,
} from '../data/words/message-states.ts'
import { locale } from '../language/language.ts'
import { formatNumber, t } from '../language/words.ts'
import { makePageHref } from '../router.ts'

const day = new Intl.DateTimeFormat(locale, {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
})
const full = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'long' })

/** A time relative to now, such as `3 min. ago`; the tooltip has the full date. `none` is shown for ''. */
export function Time({ at, none = '–' }: { at: string; none?: string }) {
  const ms = parseDate(at)
  if (Number.isNaN(ms)) return <span class="muted">{none}</span>
  return (
    <time dateTime={new Date(ms).toISOString()} title={full.format(ms)}>
      {formatRelativeTime(ms, readNowMs())}
    </time>
  )
}

export const formatDateTime = (text: string): string => dateTime.format(parseDate(text))

const zone = new Intl.DateTimeFormat(locale, { timeZoneName: 'short' })

/**
 * A time for what will happen then, with its zone unless the account has the same:
 * `Dec 1, 2026, 9:00 AM GMT+1`.
 */
export function formatPlannedTime(text: string): string {
  const at = parseDate(text)
  if (accountZone.value === HERE) return dateTime.format(at)
  const name = zone.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? ''
  return `${dateTime.format(at)} ${name}`.trim()
}

/** A day relative to now and its hour, such as `tomorrow 9:00 AM`. */
export const formatSoon = (text: string): string => formatDayAndHour(parseDate(text), readNowMs())

export const formatDay = (text: string): string => day.format(parseDate(text))

export const Hour = ({ at }: { at: string }) => (
  <time dateTime={new Date(parseDate(at)).toISOString()} title={full.format(parseDate(at))}>
    {hour.format(parseDate(at))}
  </time>
)

/** A coloured word. The colour adds no meaning to the word. */
export const Badge = ({ tone, children }: { tone: Tone; children: ComponentChildren }) => (
  <span class={`badge ${tone}`}>{children}</span>
)

export const StateBadge = ({ state: [tone, words] }: { state: State }) => (
  <Badge tone={tone}>{words}</Badge>
)

export const OnOffBadge = ({ isOn }: { isOn: boolean }) => (
  <Badge tone={isOn ? 'good' : 'calm'}>{isOn ? t('On') : t('Off')}</Badge>
)

export const SimulatedBadge = ({ device }: { device: Device | undefined }) =>
  isSimulated(device) ? <Badge tone="warn">{t('Simulated')}</Badge> : null

export const OUTGOING_STATES = [
  'pending',
  'assigned',
  'sending',
  'sent',
  'delivered',
  'failed',
  'canceled',
] as const

/** States whose words differ for several messages, as in French. */
const OF_SEVERAL: Readonly<Partial<Record<ShownState, string>>> = {
  pending: t('Scheduled#messages'),
  sent: t('Sent#messages'),
  delivered: t('Delivered#messages'),
  failed: t('Failed#messages'),
  canceled: t('Canceled#messages'),
}

/** Counts of the messages that `filter` finds, by state, as links. `words`: other words for some states. */
export const StateCounts = ({
  counts,
  filter,
  words = {},
}: {
  counts: Readonly<Partial<Record<ShownState, number>>>
  filter: string
  words?: Readonly<Partial<Record<ShownState, string>>>
}) => (
  <div class="row" role="status">
    {OUTGOING_STATES.filter((state) => counts[state]).map((state) => {
      const [tone, usual] = MESSAGE_STATES[state]
      return (
        <a
          key={state}
          class="state-count"
          href={makePageHref('/messages', { filter: `${filter} && ${writeStateFilter(state)}` })}
        >
          <Badge tone={tone}>
            {formatNumber(counts[state] ?? 0)}{' '}
            {words[state] ?? ((counts[state] !== 1 && OF_SEVERAL[state]) || usual).toLowerCase()}
          </Badge>
        </a>
      )
    })}
  </div>
)

export const MessageStatus = ({ message }: { message: Stated }) => (
  <StateBadge state={readState(message)} />
)
