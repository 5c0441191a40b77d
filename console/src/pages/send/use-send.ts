import { useRef, useState } from 'preact/hooks'
import { countRecords, pb, postRequest } from '../../data/client.ts'
import { startConversation } from '../../data/connection/outbox.ts'
import { requestKeys } from '../../data/connection/request-key.ts'
import { namePerson } from '../../data/session.ts'
import { addFiles, type ChosenFile, describeFiles } from '../../data/use/chosen-files.ts'
import { type Task, useTask } from '../../data/use/use-task.ts'
import { goToPage } from '../../router.ts'
import type { Request } from './composition.ts'
import { sendAsCampaign } from './send-as-campaign.tsx'

/** The answer of `POST /api/sms/send`. */
interface Accepted {
  /** '' if there is only one message. */
  readonly batch_id: string
  readonly message_ids: readonly string[]
}

/** Creates the conversation of a number if there is none. The text is sent even if that fails. */
async function ensureConversation(number: string): Promise<void> {
  const filter = pb.filter('number = {:number}', { number })
  await countRecords('conversations', filter)
    .then((count) => (count === 0 ? startConversation(number) : undefined))
    .catch(() => {})
}

/**
 * Sends a request and opens the page with its progress. A text to one number belongs to its conversation.
 * An unchanged request keeps its idempotency key, so that a repeat sends nothing twice. May ask the user
 * first, for example if there are more than 20 recipients: `run` returns false if the user declines.
 */
export function useSend(): Task<[Request, (readonly ChosenFile[])?]> {
  const [keys] = useState(() => requestKeys(`send.${namePerson()}`))
  const isDeclined = useRef(false)
  const task = useTask(async (request: Request, files: readonly ChosenFile[] = []) => {
    const key = keys.of([request, describeFiles(files)])
    const campaign = await sendAsCampaign(request, files, key, keys.since())
    isDeclined.current = campaign === 'no'
    if (campaign) {
      keys.renew()
      if (campaign !== 'no') goToPage(`/campaigns/${campaign.id}`)
      return
    }
    const [number, ...others] = request.recipients as readonly string[]
    if (number !== undefined && others.length === 0 && !('group_ids' in request))
      await ensureConversation(number)
    const path = 'template_id' in request ? '/api/sms/send-template' : '/api/sms/send'
    const headers = { 'idempotency-key': key }
    const { batch_id, message_ids } = await postRequest<Accepted>(path, addFiles(request, files), {
      headers,
    })
    keys.renew()
    goToPage('/send', batch_id ? { batch: batch_id } : { message: message_ids[0] ?? '' })
  })
  return {
    ...task,
    run: async (request, files) => (await task.run(request, files)) && !isDeclined.current,
  }
}
