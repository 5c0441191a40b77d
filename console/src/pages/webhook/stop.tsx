import { pb } from '../../data/client.ts'
import type { Webhook } from '../../data/records.ts'
import { useTask } from '../../data/use/use-task.ts'
import { EVENT_WORDS } from '../../data/webhooks/webhooks.ts'
import { t } from '../../language/words.ts'
import { Button } from '../../parts/form/button.tsx'
import { Notice } from '../../parts/form/form.tsx'
import { Card } from '../../parts/page.tsx'
import { toast } from '../../parts/toast.tsx'
import { removeWebhook } from './remove.ts'

/**
 * A superuser's actions on a user's webhook: switch it off or delete it. Only the owner changes its address
 * and secret.
 */
export function Stop({ webhook }: { webhook: Webhook }) {
  const { enabled, events, expand } = webhook
  const turn = useTask(async () => {
    await pb.collection('webhooks').update(webhook.id, { enabled: !enabled })
    toast(enabled ? t('Webhook switched off') : t('Webhook switched on'))
  })
  return (
    <Card title={t('Whose it is')}>
      <p>
        {t('Of {user}. It hears of: {events}.', {
          user: expand?.user?.email ?? t('a user who is gone'),
          events: events.map((event) => EVENT_WORDS[event].toLowerCase()).join(', '),
        })}{' '}
        {enabled
          ? t('It is switched on.')
          : t('It is switched off: what happens meanwhile is not told later.')}
      </p>
      {turn.fault && <Notice kind="wrong">{turn.fault.message}</Notice>}
      <div class="row">
        <Button busy={turn.busy} onClick={() => void turn.run()}>
          {enabled ? t('Switch off') : t('Switch on')}
        </Button>
        <Button kind="quiet" icon="trash" onClick={() => void removeWebhook(webhook)}>
          {t('Delete')}
        </Button>
      </div>
    </Card>
  )
}
