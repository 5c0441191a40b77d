import type { Webhook } from '../../data/records.ts'
import { session } from '../../data/session.ts'
import { useRecord } from '../../data/use/use-record.ts'
import { t } from '../../language/words.ts'
import type { PageProps } from '../../pages.ts'
import { Missing } from '../../parts/list/missing.tsx'
import { Page as Frame } from '../../parts/page.tsx'
import { to } from '../../router.ts'
import { Deliveries } from './deliveries.tsx'
import { Secret } from './secret.tsx'
import { Settings } from './settings.tsx'
import { Stop } from './stop.tsx'

/**
 * One webhook: settings, secret and deliveries. Superusers see the webhooks of all users, and may stop
 * them.
 */
export function Page({ params: { id = '' } }: PageProps) {
  const isOwn = session.value?.role === 'user'
  const read = useRecord<Webhook>('webhooks', id, isOwn ? '' : 'user')
  const { record: webhook } = read
  if (!webhook)
    return (
      <Missing
        {...{ read, icon: 'webhooks', title: t('Webhook'), gone: t('There is no such webhook') }}
        all={[to('/webhooks'), t('All webhooks')]}
      />
    )
  return (
    <Frame title={t('Webhook')} text={webhook.url} back={{ href: to('/webhooks'), words: t('Webhooks') }}>
      <Deliveries webhook={webhook} />
      {isOwn ? (
        <div class="columns">
          <Settings webhook={webhook} />
          <Secret webhook={webhook} />
        </div>
      ) : (
        <Stop webhook={webhook} />
      )}
    </Frame>
  )
}
