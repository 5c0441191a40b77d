import type { LineUse } from '../../data/device/device-states.ts'
import type { Line } from '../../data/records.ts'
import { t } from '../../language/words.ts'
import { Progress } from '../../parts/wait.tsx'

type Limit = 'per_minute' | 'daily_limit' | 'monthly_limit' | 'monthly_recipients'

/** The limits, their counters and the words for both. */
const METERS: readonly (readonly [
  Limit,
  keyof LineUse,
  (used: Record<'count' | 'total', number>) => string,
])[] = [
  ['per_minute', 'minute', (used) => t('{count} of {total} texts in the last minute', used)],
  ['daily_limit', 'day', (used) => t('{count} of {total} texts today', used)],
  ['monthly_limit', 'month', (used) => t('{count} of {total} texts this month', used)],
  ['monthly_recipients', 'recipients', (used) => t('{count} of {total} different numbers this month', used)],
]

/** The share of a limit from which it counts as near. */
const NEAR = 0.8

/** What a line has used of each limit that it has. */
export function LineMeters({ line, use }: { line: Line; use: LineUse | undefined }) {
  const shown = METERS.filter(([limit]) => line[limit] > 0)
  if (shown.length === 0) return <p class="muted">{t('No limits')}</p>
  return (
    <div class="device-meters">
      {shown.map(([limit, count, words]) => {
        const [used, total] = [Number(use?.[count] ?? 0), line[limit]]
        return (
          <Progress
            key={limit}
            value={Math.min(used, total)}
            max={total}
            label={words({ count: used, total }) + noteOf(used, total)}
            tone={used >= total ? 'bad' : used >= total * NEAR ? 'warn' : ''}
          />
        )
      })}
    </div>
  )
}

function noteOf(used: number, total: number): string {
  if (used >= total) return `: ${t('full')}`
  return used >= total * NEAR ? `: ${t('nearly full')}` : ''
}
