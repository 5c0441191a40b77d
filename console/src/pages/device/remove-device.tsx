import { countRecords, pb } from '../../data/client.ts'
import { makeRecordPath } from '../../data/deletions.ts'
import type { Device } from '../../data/record-types.ts'
import { discardUnsavedDrafts } from '../../data/use/use-draft.ts'
import { t, tn } from '../../language/words.ts'
import { confirmAndRevoke } from '../../parts/dialog/confirm-and-revoke.ts'
import { Button } from '../../parts/form/form.tsx'
import { Card } from '../../parts/page.tsx'
import { runWithToast } from '../../parts/toast.tsx'
import { goToPage } from '../../router.ts'

/** How many waiting texts fail without the device: it is set in those alone that name it. */
async function describeScheduled({ id }: Device): Promise<string> {
  const filter = pb.filter('device = {:id} && status = "pending"', { id })
  const count = await countRecords('sms_messages', filter)
  if (count === 0) return ''
  return tn(
    'One scheduled text fails, because this device was chosen for it. To keep it, cancel it first and send it by another device.',
    '{count} scheduled texts fail, because this device was chosen for them. To keep them, cancel them first and send them by another device.',
    count,
  )
}

const describeWaiting = (waiting: number): string =>
  waiting === 0
    ? ''
    : tn(
        'One message waits for it. If this device was chosen for the message, it fails; else it goes to another device.',
        '{count} messages wait for it. Those for which this device was chosen fail; the others go to other devices.',
        waiting,
      )

/** A card that deletes a device, once the person knows what becomes of its texts. */
export function RemoveDevice({ device, waiting }: { device: Device; waiting: number }) {
  const remove = async () => {
    const text = [
      t(
        'You can undo this for a few seconds. Then the device is signed out and sends nothing more. The messages stay.',
      ),
      await describeScheduled(device),
      describeWaiting(waiting),
    ].join(' ')
    const isGone = await confirmAndRevoke(
      makeRecordPath('devices', device.id),
      {
        title: t('Delete {name}?', { name: device.name }),
        text: text.trim(),
        action: t('Delete the device'),
      },
      t('{name} was deleted', { name: device.name }),
    )
    if (!isGone) return
    discardUnsavedDrafts()
    goToPage('/devices')
  }
  return (
    <Card title={t('Delete')}>
      <p class="muted">
        {t('Delete a device that you lost or sold. To use it later, add it again.')}
      </p>
      <div>
        <Button kind="danger" icon="trash" onClick={() => void runWithToast(remove)}>
          {t('Delete the device')}
        </Button>
      </div>
    </Card>
  )
}
