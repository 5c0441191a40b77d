import { pb } from '../../data/client.ts'
import { HOOK_TOOLS, type Hook, hookUrl } from '../../data/webhooks/hooks.ts'
import { t } from '../../language/words.ts'
import { CodeBlock } from '../../parts/code.tsx'
import { confirmed } from '../../parts/dialog/dialog.tsx'
import { Button } from '../../parts/form/button.tsx'
import { Card } from '../../parts/page.tsx'
import { toast, toastFault } from '../../parts/toast.tsx'

/** The secret URL of a hook, and how to enter it in its tool. */
export const Address = ({ hook }: { hook: Hook }) => (
  <Card title={t('Address')}>
    <CodeBlock code={hookUrl(hook)} />
    <p>{HOOK_TOOLS[hook.preset].setUp}</p>
    <p class="muted">{t('Who knows the address can send these texts. Change it when it may have leaked.')}</p>
    <div>
      <Button icon="again" onClick={() => void change(hook)}>
        {t('Change the address')}
      </Button>
    </div>
  </Card>
)

async function change({ id }: Hook): Promise<void> {
  const isSure = await confirmed({
    title: t('Change the address?'),
    text: t('The present address ends at once: enter the new one in the program that calls it.'),
    action: t('Change the address'),
    danger: true,
  })
  if (!isSure) return
  await pb
    .collection('hooks')
    .update(id, { secret: '' })
    .then(() => toast(t('The address has changed')), toastFault)
}
