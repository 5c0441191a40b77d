import type { Webhook } from '../../data/records.ts'
import { discardUnsaved } from '../../data/use/use-draft.ts'
import { t } from '../../language/words.ts'
import { deleteRecord } from '../../parts/dialog/delete-record.ts'
import { go } from '../../router.ts'

/** Deletes a webhook after confirmation, and returns to the list. */
export const removeWebhook = (webhook: Webhook) =>
  deleteRecord(
    webhook,
    {
      title: t('Delete the webhook?'),
      text: t('{url} is told nothing any more, and the log of its deliveries goes.', { url: webhook.url }),
      action: t('Delete the webhook'),
    },
    t('Webhook deleted'),
    () => {
      discardUnsaved()
      go('/webhooks')
    },
  )
