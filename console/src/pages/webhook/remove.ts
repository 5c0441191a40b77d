import { pb } from '../../data/client.ts'
import type { Webhook } from '../../data/records.ts'
import { discardUnsaved } from '../../data/use/use-draft.ts'
import { confirmed } from '../../parts/dialog/dialog.tsx'
import { toast, toastFault } from '../../parts/toast.tsx'
import { go } from '../../router.ts'

/** Deletes a webhook, if that is what is meant, and goes back to the list. */
export async function removeWebhook(webhook: Webhook): Promise<void> {
  const isSure = await confirmed({
    title: 'Delete the webhook?',
    text: `${webhook.url} is told nothing any more, and the log of its deliveries goes.`,
    action: 'Delete the webhook',
    danger: true,
  })
  if (!isSure) return
  try {
    await pb.collection('webhooks').delete(webhook.id)
    toast('Webhook deleted')
    discardUnsaved()
    go('/webhooks')
  } catch (error) {
    toastFault(error)
  }
}
