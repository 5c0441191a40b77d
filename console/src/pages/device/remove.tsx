import type { Device } from '../../data/records.ts'
import { discardUnsaved } from '../../data/use/use-draft.ts'
import { t, tn } from '../../language/words.ts'
import { revoke } from '../../parts/dialog/revoke.ts'
import { Button } from '../../parts/form/button.tsx'
import { Card } from '../../parts/page.tsx'
import { go } from '../../router.ts'

/** Deletes a device, which ends its access, as after a loss. */
export function Remove({ device, waiting }: { device: Device; waiting: number }) {
  const remove = async () => {
    const others =
      waiting > 0
        ? tn(
            'The message that waits for it goes to another device, if there is one.',
            'The {count} messages that wait for it go to other devices, if there are any.',
            waiting,
          )
        : ''
    const text =
      `${t('It is signed out at once and sends nothing more. Its messages stay.')} ${others}`.trim()
    const isGone = await revoke(
      `/api/collections/devices/records/${device.id}`,
      { title: t('Delete {name}?', { name: device.name }), text, action: t('Delete the device') },
      t('{name} was deleted', { name: device.name }),
    )
    if (!isGone) return
    discardUnsaved()
    go('/devices')
  }
  return (
    <Card title={t('Delete')}>
      <p class="muted">{t('A lost or sold device should not stay. To use it again, add it again.')}</p>
      <div>
        <Button kind="danger" icon="trash" onClick={() => void remove()}>
          {t('Delete the device')}
        </Button>
      </div>
    </Card>
  )
}
