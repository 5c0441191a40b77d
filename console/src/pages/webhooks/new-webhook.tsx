import { useState } from 'preact/hooks'
import { pb } from '../../data/client.ts'
import { WEBHOOK_EVENTS, type Webhook } from '../../data/records.ts'
import { userId } from '../../data/session.ts'
import { useDraft } from '../../data/use/use-draft.ts'
import { useTask } from '../../data/use/use-task.ts'
import { webhookRecord } from '../../data/webhooks/webhooks.ts'
import { t, tx } from '../../language/words.ts'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import { Form, FormActions } from '../../parts/form/form.tsx'
import { type WebhookDraft, WebhookFields } from '../../parts/form/webhook-fields.tsx'
import { ShownOnce } from '../../parts/once.tsx'
import { go } from '../../router.ts'

const DRAFT: WebhookDraft = { url: '', events: WEBHOOK_EVENTS, lines: [], numbers: '' }

/** Makes a webhook and shows its secret, once. */
export function NewWebhook({ onClose }: { onClose: () => void }) {
  const draft = useDraft('webhook.new', DRAFT)
  const [made, setMade] = useState<Webhook & { secret?: string }>()
  const make = useTask(async () => {
    const record = { ...webhookRecord(draft.value), user: userId(), enabled: true }
    setMade(await pb.collection('webhooks').create(record))
    draft.saved()
  })
  const cancel = () => {
    draft.discard()
    onClose()
  }
  if (made?.secret)
    return (
      <ShownOnce
        title={t('The secret of the webhook')}
        secret={made.secret}
        onClose={() => go(`/webhooks/${made.id}`)}
      >
        <p>
          {tx(
            'Your program checks with it that a request comes from here: the header {header}, as Standard Webhooks has it.',
            {
              header: <code>webhook-signature</code>,
            },
          )}
        </p>
      </ShownOnce>
    )
  return (
    <Dialog title={t('New webhook')} onClose={onClose}>
      <Form onSubmit={make.run} fault={make.fault} names={['url', 'events', 'numbers']}>
        <WebhookFields value={draft.value} onValue={draft.set} fault={make.fault} />
        <FormActions busy={make.busy} onCancel={cancel}>
          {t('Make the webhook')}
        </FormActions>
      </Form>
    </Dialog>
  )
}
