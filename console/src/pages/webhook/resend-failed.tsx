import type { Webhook } from '../../data/record-types.ts'
import { postWebhooks } from '../../data/webhooks/webhooks.ts'
import { t, tn } from '../../language/words.ts'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import { RowsForm } from '../../parts/rows/rows-form.tsx'

const HOUR_MS = 3_600_000
const SPANS = [
  ['1', t('The last hour')],
  ['24', t('The last day')],
  ['72', t('The last three days')],
  ['720', t('The last 30 days')],
] as const

/** A dialog that resends deliveries that failed in a period, as during an outage of the receiver. */
export function ResendFailed({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const save = async (_: unknown, { hours }: { hours?: unknown }) => {
    const since = new Date(Date.now() - Number(hours) * HOUR_MS)
    const { resent } = await postWebhooks<{ resent: number }>(`${webhook.id}/resend-failed`, { since })
    return tn('One delivery is sent again', '{count} deliveries are sent again', resent)
  }
  return (
    <Dialog title={t('Send failed ones again')} onClose={onClose}>
      <RowsForm
        rows={[{ name: 'hours', label: t('That failed in'), kind: 'select', choices: SPANS }]}
        draftKey="resend"
        stored={{ hours: '24' }}
        save={save}
        action={t('Send again')}
        onDone={onClose}
        onCancel={onClose}
      />
    </Dialog>
  )
}
