import { DAYS, shortenDay } from '../../data/hours.ts'
import type { Message } from '../../data/record-types.ts'
import { useAnswer } from '../../data/use/use-answer.ts'
import { useCalm } from '../../data/use/use-calm.ts'
import { useLive } from '../../data/use/use-live.ts'
import { formatNumber, t, tn } from '../../language/words.ts'
import { FaultNotice } from '../../parts/form/form.tsx'
import { makePageHref } from '../../router.ts'
import { addDays, findWeek, type Period, readPeriod } from './periods.ts'
import './page.css'

interface Day {
  readonly day: string
  readonly sends: number
  readonly messages: number
}

const CALM_MS = 600

/**
 * A month as weeks of days. Each day says how many texts and other entries it has, and leads to its week.
 * `others`: the days of campaigns and reminders.
 */
export function Month({ period, others }: { period: Period; others: readonly string[] }) {
  const path = `/api/sms/scheduled/days?${new URLSearchParams(readPeriod(period))}`
  const { value, isOld, fault, reload } = useAnswer<{ days: readonly Day[] }>(path)
  const soon = useCalm(reload, () => CALM_MS)
  useLive<Message>('sms_messages', '*', soon, soon)
  const texts = new Map(isOld ? [] : value?.days.map((day) => [day.day, day.messages]))
  return (
    <>
      <FaultNotice fault={fault} />
      <div class="scheduled-weekdays" aria-hidden="true">
        {DAYS.map((day) => (
          <span key={day}>{shortenDay(day)}</span>
        ))}
      </div>
      <ol class="scheduled-month" aria-label={t('Month')}>
        {listDays(period).map((day) => (
          <li key={day} class={day < period.from || day > period.until ? 'outside' : ''}>
            <DayCell
              day={day}
              texts={texts.get(day) ?? 0}
              others={others.filter((other) => other === day).length}
            />
          </li>
        ))}
      </ol>
    </>
  )
}

/** The days of all weeks that the month touches, from Monday to Sunday. */
function listDays({ from, until }: Period): string[] {
  const days: string[] = []
  for (let day = findWeek(from).from; day <= findWeek(until).until; day = addDays(day, 1))
    days.push(day)
  return days
}

const DayCell = ({ day, texts, others }: { day: string; texts: number; others: number }) => {
  const number = <time dateTime={day}>{formatNumber(Number(day.slice(8)))}</time>
  if (texts + others === 0) return number
  return (
    <a href={makePageHref('/scheduled', { view: 'week', day })}>
      {number}
      {texts > 0 && <span>{tn('1 text', '{count} texts', texts)}</span>}
      {others > 0 && <span>{tn('1 other', '{count} others', others)}</span>}
    </a>
  )
}
