import { pb } from '../../data/client.ts'
import type { Webhook } from '../../data/records.ts'
import { useDraft } from '../../data/use/use-draft.ts'
import { useTask } from '../../data/use/use-task.ts'
import { webhookRecord } from '../../data/webhooks/webhooks.ts'
import { t } from '../../language/words.ts'
import { Button } from '../../parts/form/button.tsx'
import { CheckField } from '../../parts/form/field.tsx'
import { Actions, Form } from '../../parts/form/form.tsx'
import { type WebhookDraft, WebhookFields } from '../../parts/form/webhook-fields.tsx'
import { Card } from '../../parts/page.tsx'
import { toast } from '../../parts/toast.tsx'
import { removeWebhook } from './remove.ts'

/** A webhook's address, events and switch, and a button that deletes it. */
export function Settings({ webhook }: { webhook: Webhook }) {
  const { url, events, enabled, lines = [], numbers = '' } = webhook
  const first = { url, events, enabled, lines, numbers }
  const draft = useDraft<WebhookDraft & { enabled: boolean }>(`webhook.${webhook.id}`, first, { asks: true })
  const save = useTask(async () => {
    await pb.collection('webhooks').update(webhook.id, webhookRecord(draft.changes))
    draft.saved()
    toast(t('Webhook saved'))
  })
  return (
    <Card title={t('Settings')}>
      <Form onSubmit={save.run} fault={save.fault} names={['url', 'events', 'numbers']}>
        <WebhookFields value={draft.value} onValue={draft.change} fault={save.fault} />
        <CheckField
          label={t('Switched on')}
          name="enabled"
          value={draft.value.enabled}
          onValue={(enabled) => draft.change({ enabled })}
        />
        <Actions>
          <Button type="submit" kind="primary" busy={save.busy}>
            {t('Save')}
          </Button>
          <Button kind="quiet" icon="trash" onClick={() => void removeWebhook(webhook)}>
            {t('Delete')}
          </Button>
        </Actions>
      </Form>
    </Card>
  )
}
