import { useState } from 'preact/hooks'
import type { Webhook } from '../../data/records.ts'
import { rotateSecret } from '../../data/webhooks/webhooks.ts'
import { t } from '../../language/words.ts'
import { confirmed } from '../../parts/dialog/dialog.tsx'
import { Button } from '../../parts/form/button.tsx'
import { ShownOnce } from '../../parts/once.tsx'
import { Card } from '../../parts/page.tsx'
import { toastFault } from '../../parts/toast.tsx'

/** Changes the secret that signs requests. The present one is never shown. */
export function Secret({ webhook }: { webhook: Webhook }) {
  const [secret, setSecret] = useState('')
  const rotate = async () => {
    const isSure = await confirmed({
      title: t('Make a new secret?'),
      text: t('For 24 hours requests are signed with the old one, too: time to change your program.'),
      action: t('Make a new secret'),
    })
    if (!isSure) return
    try {
      setSecret((await rotateSecret(webhook.id)).secret)
    } catch (error) {
      toastFault(error)
    }
  }
  return (
    <Card title={t('Secret')}>
      <p class="muted">
        {t(
          'Each request is signed with it, as Standard Webhooks has it. Whoever knows it can pretend to be this server: make a new one when it may have leaked.',
        )}
      </p>
      <div>
        <Button icon="again" onClick={() => void rotate()}>
          {t('Make a new secret')}
        </Button>
      </div>
      {secret && <ShownOnce title={t('The new secret')} secret={secret} onClose={() => setSecret('')} />}
    </Card>
  )
}
