import { formatBytes } from '../../data/backups.ts'
import { formatMonth, type Usage } from '../../data/usage.ts'
import { useAnswer } from '../../data/use/use-answer.ts'
import { formatNumber, t, tx } from '../../language/words.ts'
import { Card, Progress } from '../../parts/page.tsx'
import { Time } from '../../parts/time.tsx'

const QUOTA_EVERY_MS = 30_000

export function Quota() {
  const { value } = useAnswer<Usage>('/api/sms/usage', QUOTA_EVERY_MS)
  if (!value) return null
  const { used, quota, remaining, period, resets_at, files } = value
  return (
    <Card title={formatMonth(period)}>
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
