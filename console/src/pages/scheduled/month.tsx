import { DAYS, shortenDay } from '../../data/hours.ts'
import type { Message } from '../../data/record-types.ts'
import { useAnswer } from '../../data/use/use-answer.ts'
import { useCalm } from '../../data/use/use-calm.ts'
import { useLive } from '../../data/use/use-live.ts'
import { formatNumber, t, tn } from '../../language/words.ts'
import { FaultNotice } from '../../parts/form/form.tsx'
import { makePageHref } from '../../router.ts'
import { addDays, countFromFirst, fillWeeks, makePeriodQuery, type Period } from './periods.ts'
import './page.css'

interface Day {
  readonly day: string
  readonly sends: number
  readonly messages: number
}

const CALM_MS = 600

/** Monday is 1, as for `Intl`. */
const numberDay = (day: (typeof DAYS)[number]) => DAYS.indexOf(day) + 1

/** The days of a week, as weeks begin in the person's region. */
const WEEK = DAYS.toSorted((a, b) => countFromFirst(numberDay(a)) - countFromFirst(numberDay(b)))

/**
 * A month as weeks of days. Each day says how many texts and other entries it has, and leads to its week;
 * on a phone, whose cells are too narrow for words, it shows one number for all of them.
 * `campaigns`, `reminders` and `laterRuns` (of repeating campaigns): their days.
 */
export function Month({
  period,
  today,
  campaigns,
  reminders,
  laterRuns,
}: {
  period: Period
  today: string
  campaigns: readonly string[]
  reminders: readonly string[]
  laterRuns: readonly string[]
}) {
  const grid = fillWeeks(period)
  const path = `/api/sms/scheduled/days?${new URLSearchParams(makePeriodQuery(grid))}`
  const { value, isOld, fault, reload } = useAnswer<{ days: readonly Day[] }>(path)
  const soon = useCalm(reload, () => CALM_MS)
  useLive<Message>('sms_messages', '*', soon, soon)
  const texts = new Map(isOld ? [] : value?.days.map((day) => [day.day, day.messages]))
  return (
    <>
      <FaultNotice fault={fault} />
      <div class="scheduled-weekdays" aria-hidden="true">
        {WEEK.map((day) => (
          <span key={day}>{shortenDay(day)}</span>
        ))}
      </div>
      <ol class="scheduled-month" aria-label={t('Month')}>
        {listDays(grid).map((day) => (
          <li key={day} class={day < period.from || day > period.until ? 'outside' : ''}>
            <DayCell
              day={day}
              texts={texts.get(day) ?? 0}
              campaigns={campaigns.filter((each) => each === day).length}
              reminders={reminders.filter((each) => each === day).length}
              laterRuns={laterRuns.filter((each) => each === day).length}
              isToday={day === today}
            />
          </li>
        ))}
      </ol>
    </>
  )
}

function listDays({ from, until }: Period): string[] {
  const days: string[] = []
  for (let day = from; day <= until; day = addDays(day, 1)) days.push(day)
  return days
}

interface DayProps {
  readonly day: string
  readonly texts: number
  readonly campaigns: number
  readonly reminders: number
  readonly laterRuns: number
  readonly isToday: boolean
}

const DayCell = ({ day, texts, campaigns, reminders, laterRuns, isToday }: DayProps) => {
  const number = (
    <time dateTime={day} aria-current={isToday ? 'date' : undefined}>
      {formatNumber(Number(day.slice(8)))}
    </time>
  )
  const sure = texts + campaigns + reminders
  if (sure + laterRuns === 0) return number
  return (
    <a class={sure === 0 ? 'later' : ''} href={makePageHref('/scheduled', { view: 'week', day })}>
      {number}
      <b class="entries" aria-hidden="true">
        {formatNumber(sure + laterRuns)}
      </b>
      {texts > 0 && <span>{tn('1 text', '{count} texts', texts)}</span>}
      {campaigns > 0 && <span>{tn('1 campaign', '{count} campaigns', campaigns)}</span>}
      {reminders > 0 && <span>{tn('1 reminder', '{count} reminders', reminders)}</span>}
      {laterRuns > 0 && (
        <span class="muted">{tn('1 repetition', '{count} repetitions', laterRuns)}</span>
      )}
    </a>
  )
}
