import { pb, postRequest } from '../../data/client.ts'
import type { Message } from '../../data/record-types.ts'
import { t } from '../../language/words.ts'
import { ChangeDialog, type ChangeRequest } from '../dialog/change-dialog.tsx'
import { Button } from '../form/form.tsx'
import { runWithToast, showToast } from '../toast.tsx'

export const canCancel = ({ status }: Message) => status === 'pending' || status === 'assigned'

/**
 * Buttons that change, send now or cancel a text that no device has, and that is not of a campaign. While
 * `isChanging`, show this also for a text that was canceled meanwhile: the dialog keeps what was typed.
 */
export function WaitingActions({
  message,
  kind,
  isChanging,
  setChanging,
}: {
  message: Message
  kind: 'plain' | 'quiet'
  isChanging: boolean
  setChanging: (is: boolean) => void
}) {
  const path = `/api/sms/messages/${message.id}`
  const change = (body: ChangeRequest) => pb.send(path, { method: 'PATCH', body })
  const sendNow = () => runWithToast(() => change({ scheduled_at: '' }), t('It is sent now'))
  const cancel = () =>
    runWithToast(() => postRequest(`${path}/cancel`), t('Canceled: it will not be sent'))
  return (
    <>
      {message.status === 'pending' && (
        <>
          <Button kind={kind} needs="agent" onClick={() => setChanging(true)}>
            {t('Change')}
          </Button>
          <Button kind={kind} needs="agent" onClick={() => void sendNow()}>
            {t('Send now')}
          </Button>
        </>
      )}
      {canCancel(message) && (
        <Button kind={kind} needs="agent" onClick={() => void cancel()}>
          {t('Cancel the message')}
        </Button>
      )}
      {isChanging && (
        <ChangeDialog
          title={t('Change the message')}
          waiting={message}
          save={async (body) => {
            await change(body)
            showToast(t('Message changed'))
          }}
          onClose={() => setChanging(false)}
        />
      )}
    </>
  )
}
