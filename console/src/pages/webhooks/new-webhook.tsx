import { useState } from 'preact/hooks'
import { WEBHOOK_EVENTS, type Webhook } from '../../data/records.ts'
import { t, tx } from '../../language/words.ts'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import { ShownOnce } from '../../parts/once.tsx'
import { RecordForm } from '../../parts/rows/record-form.tsx'
import { WEBHOOK_ROWS } from '../../parts/rows/webhook-rows.tsx'
import { go } from '../../router.ts'

/** Makes a webhook and shows its secret, once. */
export function NewWebhook({ onClose }: { onClose: () => void }) {
  const [made, setMade] = useState<Webhook & { secret?: string }>()
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
      <RecordForm
        collection="webhooks"
        rows={WEBHOOK_ROWS}
        blank={{ events: WEBHOOK_EVENTS }}
        prepare={(fields) => ({ ...fields, enabled: true })}
        action={t('Make the webhook')}
        {...{ onSaved: setMade, onCancel: onClose }}
      />
    </Dialog>
  )
}
