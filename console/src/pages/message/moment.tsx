import { locale } from '../../language/language.ts'
import { msOf, Time } from '../../parts/time.tsx'

const exact = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' })

/** An instant to the second, and how long ago that is. Nothing for an empty date. */
export function Moment({ at }: { at: string }) {
  const ms = msOf(at)
  if (Number.isNaN(ms)) return null
  return (
    <span class="message-moment">
      {exact.format(ms)}{' '}
      <span class="muted">
        (<Time at={at} />)
      </span>
    </span>
  )
}
