import { useState } from 'preact/hooks'
import type { Webhook } from '../../data/records.ts'
import { useTask } from '../../data/use/use-task.ts'
import { resendFailed } from '../../data/webhooks/webhooks.ts'
import { t, tn } from '../../language/words.ts'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import { SelectField } from '../../parts/form/field.tsx'
import { Form, FormActions } from '../../parts/form/form.tsx'
import { toast } from '../../parts/toast.tsx'

const HOUR_MS = 3_600_000
const SPANS = [
  ['1', t('The last hour')],
  ['24', t('The last day')],
  ['72', t('The last three days')],
  ['720', t('The last 30 days')],
] as const

/** Resends all deliveries that failed in a period, as after an outage of the receiver. */
export function ResendFailed({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const [hours, setHours] = useState('24')
  const send = useTask(async () => {
    const { resent } = await resendFailed(webhook.id, new Date(Date.now() - Number(hours) * HOUR_MS))
    toast(tn('One delivery is sent again', '{count} deliveries are sent again', resent))
    onClose()
  })
  return (
    <Dialog title={t('Send failed ones again')} onClose={onClose}>
      <Form onSubmit={send.run} fault={send.fault}>
        <SelectField
          label={t('That failed in')}
          name="since"
          choices={SPANS}
          value={hours}
          onValue={setHours}
        />
        <FormActions busy={send.busy} onCancel={onClose}>
          {t('Send again')}
        </FormActions>
      </Form>
    </Dialog>
  )
}
