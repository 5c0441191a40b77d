import type { ComponentProps } from 'preact'
import { useState } from 'preact/hooks'
import { matchAny, postRequest } from '../../data/client.ts'
import { useFailed } from '../../data/failed.ts'
import type { Message } from '../../data/record-types.ts'
import { isUser } from '../../data/session.ts'
import { useOne } from '../../data/use/use-list.ts'
import { useTask } from '../../data/use/use-task.ts'
import { t, tn } from '../../language/words.ts'
import { ChangeDialog, type ChangeRequest } from '../../parts/dialog/change-dialog.tsx'
import { ResendMessages } from '../../parts/dialog/resend-messages.tsx'
import { Button, FaultNotice, Notice } from '../../parts/form/form.tsx'
import { confirmCancel, describeCanceled } from '../../parts/message/confirm-cancel.ts'
import { showToast } from '../../parts/toast.tsx'
import { goToPage, makePageHref } from '../../router.ts'
import type { Batch } from './use-batch.ts'

interface Retried {
  readonly batch_id: string
  readonly recipients_count: number
  readonly left_out: { readonly refused: number }
}

export function BatchActions({ batch, sent }: { batch: string; sent: Batch }) {
  const { counts, filter, items } = sent
  const [isAsking, setAsking] = useState(false)
  const [isChanging, setChanging] = useState(false)
  const again = useRetryBatch(items)
  const scheduled = items.find(({ status }) => status === 'pending')
  const waiting = (counts.pending ?? 0) + (counts.assigned ?? 0)
  const notSent = (counts.failed ?? 0) + (counts.canceled ?? 0)
  const cancel = useTask(async () => {
    if (!(await confirmCancel(waiting))) return
    const { canceled } = await postRequest<{ canceled: number }>(`/api/sms/batches/${batch}/cancel`)
    showToast(describeCanceled(canceled))
  })
  if (batch === '' || !isUser()) return null
  const retry = async (include: readonly string[]) => {
    const answer = await postRequest<Retried>(`/api/sms/batches/${batch}/retry`, { include })
    const { batch_id, recipients_count, left_out } = answer
    setAsking(false)
    showToast(
      left_out.refused > 0
        ? t('{count} could not be sent now: your quota is used up, or no device can send', {
            count: left_out.refused,
          })
        : t('{count} sent again', { count: recipients_count }),
    )
    if (batch_id) goToPage('/send', { batch: batch_id })
  }
  const reschedule = async (body: ChangeRequest) => {
    const { rescheduled } = await postRequest<{ rescheduled: number }>(
      `/api/sms/batches/${batch}/reschedule`,
      body,
    )
    showToast(tn('Time of one message changed', 'Time of {count} messages changed', rescheduled))
  }
  return (
    <>
      {again && (
        <Notice>
          {t('What failed was sent again.')}{' '}
          <a href={makePageHref('/send', { batch: again })}>{t('See the result')}</a>
        </Notice>
      )}
      {(waiting > 0 || notSent > 0) && (
        <div class="row">
          {scheduled && (
            <Button icon="clock" onClick={() => setChanging(true)}>
              {t('Change the time')}
            </Button>
          )}
          {waiting > 0 && (
            <Button icon="close" task={cancel}>
              {tn('Cancel the one not sent yet', 'Cancel the {count} not sent yet', waiting)}
            </Button>
          )}
          {notSent > 0 && (
            <Button icon="again" onClick={() => setAsking(true)}>
              {t('Send failed ones again')}
            </Button>
          )}
        </div>
      )}
      <FaultNotice fault={cancel.fault} />
      {isChanging && scheduled && (
        <ChangeDialog
          title={t('Change the time')}
          waiting={{ scheduled_at: scheduled.scheduled_at, expires_at: scheduled.expires_at }}
          save={reschedule}
          onClose={() => setChanging(false)}
        />
      )}
      {isAsking && <BatchAgain filter={filter} send={retry} onClose={() => setAsking(false)} />}
    </>
  )
}

const BatchAgain = ({
  filter,
  ...others
}: { filter: string } & Omit<ComponentProps<typeof ResendMessages>, 'counts'>) => (
  <ResendMessages {...useFailed(filter)} {...others} />
)

/** The batch id under which the failed messages were sent again; '' if they were not. */
function useRetryBatch(items: readonly Message[]): string {
  const failed = items.filter(({ status }) => status === 'failed')
  const filter = matchAny(
    'client_ref',
    failed.map(({ id }) => `retry:${id}`),
  )
  const asked = failed.length > 0 ? `(${filter}) && batch_id != ""` : undefined
  const { record } = useOne<Message>('sms_messages', asked, { fields: 'id,batch_id', live: false })
  return record?.batch_id ?? ''
}
