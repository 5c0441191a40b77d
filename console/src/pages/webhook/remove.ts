import { pb } from '../../data/client.ts'
import type { Webhook } from '../../data/records.ts'
import { discardUnsaved } from '../../data/use/use-draft.ts'
import { t } from '../../language/words.ts'
import { confirmed } from '../../parts/dialog/dialog.tsx'
import { toast, toastFault } from '../../parts/toast.tsx'
import { go } from '../../router.ts'

/** Deletes a webhook after confirmation, and returns to the list. */
export async function removeWebhook(webhook: Webhook): Promise<void> {
  const isSure = await confirmed({
    title: t('Delete the webhook?'),
    text: t('{url} is told nothing any more, and the log of its deliveries goes.', { url: webhook.url }),
    action: t('Delete the webhook'),
    danger: true,
  })
  if (!isSure) return
  try {
    await pb.collection('webhooks').delete(webhook.id)
    toast(t('Webhook deleted'))
    discardUnsaved()
    go('/webhooks')
  } catch (error) {
    toastFault(error)
  }
}
