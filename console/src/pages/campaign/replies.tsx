import type { CampaignProgress } from '../../data/campaign-progress.ts'
import { useNames } from '../../data/use/use-known.ts'
import { t } from '../../language/words.ts'
import { Card } from '../../parts/page.tsx'
import { PhoneNumber } from '../../parts/phone-number.tsx'
import { Time } from '../../parts/time.tsx'
import { pathOfConversation, to } from '../../router.ts'

export const SHOWN = 20

export function Replies({ progress: { latest_replies: latest } }: { progress: CampaignProgress }) {
  const findName = useNames(latest.map(({ from }) => from))
  return (
    <Card title={t('Replies')}>
      {latest.length === 0 && <p class="muted">{t('Nobody has replied yet.')}</p>}
      <ul class="campaign-replies">
        {latest.map(({ id, from, body, created }) => (
          <li key={id}>
            <a href={to(pathOfConversation(from))}>{findName(from) || <PhoneNumber number={from} />}</a>{' '}
            <Time at={created} />
            <p>{body}</p>
          </li>
        ))}
      </ul>
      {latest.length >= SHOWN && (
        <p class="muted">{t('These are the latest {count}.', { count: latest.length })}</p>
      )}
    </Card>
  )
}
