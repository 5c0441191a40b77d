import { useRef, useState } from 'preact/hooks'
import { pb } from '../../data/client.ts'
import { requestKeys } from '../../data/line/request-key.ts'
import { type Task, useTask } from '../../data/use/use-task.ts'
import { go } from '../../router.ts'
import type { Request } from './composition.ts'
import { sendAsCampaign } from './send-as-campaign.tsx'

/** `POST /api/sms/send`. */
interface Accepted {
  /** '' for one message. */
  readonly batch_id: string
  readonly message_ids: readonly string[]
}

/**
 * Sends a request and opens its progress. A repeat of the same request, as after a lost answer,
 * carries the same key and is sent once; a changed one gets a new key. More than 20 people are a campaign, if
 * the user confirms it: `run` answers false otherwise.
 */
export function useSend(): Task<[Request]> {
  const [keys] = useState(requestKeys)
  const isDeclined = useRef(false)
  const task = useTask(async (request: Request) => {
    const key = keys.of(request)
    const campaign = await sendAsCampaign(request, key)
    isDeclined.current = campaign === 'no'
    if (campaign) {
      keys.renew()
      if (campaign !== 'no') go(`/campaigns/${campaign.id}`)
      return
    }
    const path = 'template_id' in request ? '/api/sms/send-template' : '/api/sms/send'
    const headers = { 'idempotency-key': key }
    const { batch_id, message_ids } = await pb.send<Accepted>(path, {
      method: 'POST',
      body: request,
      headers,
    })
    keys.renew()
    go('/send', batch_id ? { batch: batch_id } : { message: message_ids[0] ?? '' })
  })
  return { ...task, run: async (request) => (await task.run(request)) && !isDeclined.current }
}
