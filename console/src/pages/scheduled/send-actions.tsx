import { pb, postRequest } from '../../data/client.ts'
import { t, tn } from '../../language/words.ts'
import { ChangeDialog, type ChangeRequest } from '../../parts/dialog/change-dialog.tsx'
import { confirmCancel, describeCanceled } from '../../parts/message/confirm-cancel.ts'
import { runWithToast, showToast } from '../../parts/toast.tsx'
import type { ScheduledSend } from './use-scheduled.ts'

const makePath = ({ send, is_batch, message }: ScheduledSend) =>
  is_batch ? `/api/sms/batches/${send}` : `/api/sms/messages/${message}`

/** Cancels the waiting texts of a send, if the person confirms it. */
export async function cancelSend(send: ScheduledSend): Promise<void> {
  if (!(await confirmCancel(send.messages))) return
  await runWithToast(() => postRequest(`${makePath(send)}/cancel`), describeCanceled(send.messages))
}

/** Changes the time of all texts of a send that still wait. */
export function ChangeTime({ send, onClose }: { send: ScheduledSend; onClose: () => void }) {
  const { scheduled_at, expires_at, is_batch } = send
  const save = async (body: ChangeRequest) => {
    if (is_batch) await postRequest(`${makePath(send)}/reschedule`, body)
    else await pb.send(makePath(send), { method: 'PATCH', body })
    showToast(tn('Time of one message changed', 'Time of {count} messages changed', send.messages))
  }
  return (
    <ChangeDialog
      title={t('Change the time')}
      waiting={{ scheduled_at, expires_at }}
      save={save}
      onClose={onClose}
    />
  )
}
