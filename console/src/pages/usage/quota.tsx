import type { Usage } from '../../data/usage.ts'
import { useAnswer } from '../../data/use/use-answer.ts'
import { Card } from '../../parts/page.tsx'
import { Time } from '../../parts/time.tsx'
import { Progress } from '../../parts/wait.tsx'

const EVERY_MS = 30_000
const month = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' })

/** What of the month's quota is used. */
export function Quota() {
  const { value } = useAnswer<Usage>('/api/sms/usage', EVERY_MS)
  if (!value) return null
  const { used, quota, remaining, period, resets_at } = value
  return (
    <Card title={month.format(new Date(`${period}-01`))}>
      {quota === 0 ? (
        <p>
          <strong class="usage-figure">{used.toLocaleString()}</strong> {used === 1 ? 'message' : 'messages'}{' '}
          this month. There is no limit.
        </p>
      ) : (
        <>
          <p>
            <strong class="usage-figure">{used.toLocaleString()}</strong> of {quota.toLocaleString()} messages
            this month.
          </p>
          <Progress value={used} max={quota} label={`${(remaining ?? 0).toLocaleString()} are left`} />
          <p class="muted">
            The count starts anew <Time at={resets_at} />.
          </p>
        </>
      )}
    </Card>
  )
}
