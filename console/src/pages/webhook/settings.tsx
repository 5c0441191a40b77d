import { useState } from 'preact/hooks'
import { pb } from '../../data/client.ts'
import type { Webhook } from '../../data/records.ts'
import { useTask } from '../../data/use/use-task.ts'
import { Button } from '../../parts/form/button.tsx'
import { CheckField } from '../../parts/form/field.tsx'
import { Actions, Form } from '../../parts/form/form.tsx'
import { type WebhookDraft, WebhookFields } from '../../parts/form/webhook-fields.tsx'
import { Card } from '../../parts/page.tsx'
import { toast } from '../../parts/toast.tsx'
import { removeWebhook } from './remove.ts'

/** Where a webhook leads, what it hears, whether it is on; and its end. */
export function Settings({ webhook }: { webhook: Webhook }) {
  const [draft, setDraft] = useState<WebhookDraft>({ url: webhook.url, events: webhook.events })
  const [enabled, setEnabled] = useState(webhook.enabled)
  const save = useTask(async () => {
    await pb.collection('webhooks').update(webhook.id, { ...draft, enabled })
    toast('Webhook saved')
  })
  return (
    <Card title="Settings">
      <Form onSubmit={save.run} fault={save.fault} names={['url', 'events']}>
        <WebhookFields value={draft} onValue={setDraft} fault={save.fault} />
        <CheckField label="Switched on" name="enabled" value={enabled} onValue={setEnabled} />
        <Actions>
          <Button type="submit" kind="primary" busy={save.busy}>
            Save
          </Button>
          <Button kind="quiet" icon="trash" onClick={() => void removeWebhook(webhook)}>
            Delete
          </Button>
        </Actions>
      </Form>
    </Card>
  )
}
