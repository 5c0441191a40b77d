import type { DueDelivery } from '../../gateway/webhooks/load-delivery.ts'
import { readErrorReason } from '../../gateway/webhooks/mask-answer.ts'
import { openUserMemory, type RequestMemory } from '../../http/limit-request-memory.ts'
import { GatewayError } from '../../platform/api-errors.ts'
import type { ResponseHead } from '../../platform/outgoing/send-request.ts'
import type { CallServices, UrlCaller } from './make-url-caller.ts'
import { loadTwilioMedia } from './media.ts'
import {
  type AnsweredText,
  checkReplies,
  findAnswered,
  planReplies,
  type Reply,
  sendReplies,
} from './plan-replies.ts'
import { TwilioRefusal, toTwilioError } from './twilio-errors.ts'
import { isSuccessStatus, NO_SUCCESS } from './webhook-outcome.ts'

const MAX_REDIRECTS = 10

/** Sends the replies in an answer. Returns the error that prevented some of them, if any. */
export async function sendAnswerReplies(
  services: CallServices,
  caller: UrlCaller,
  due: DueDelivery,
  answer: ResponseHead,
) {
  const { user, apiKey: key, image } = due
  const [message, device, from] = [image.id, image.device, image.from].map(String) as [
    string,
    string,
    string,
  ]
  const text = { user, message, device, from, key }
  const memory = openUserMemory(user)
  try {
    if (await findAnswered(services.store.db, text.message)) return undefined
    const { replies, error } = await collectReplies(services, caller, text, answer, due.url, memory)
    // if an error prevented all replies, nothing is stored: the call can be repeated
    if (replies.length > 0 || !error) await sendReplies(services, text, replies)
    return error
  } catch (error) {
    // an internal error: the call is repeated when the lease of the delivery ends
    if (!(error instanceof GatewayError)) throw error
    return toTwilioError(error)
  } finally {
    memory.close()
  }
}

/** The replies in an answer and in the documents to which it redirects, up to the first fault (`error`). */
async function collectReplies(
  { store, config }: CallServices,
  caller: UrlCaller,
  text: AnsweredText,
  first: ResponseHead,
  address: string,
  memory: RequestMemory,
): Promise<{ readonly replies: readonly Reply[]; readonly error: TwilioRefusal | undefined }> {
  const replies: Reply[] = []
  let [answer, base] = [first, address]
  const fetchFiles = async (reply: Reply): Promise<Reply> =>
    reply.media.length === 0
      ? reply
      : { ...reply, files: await loadTwilioMedia(store, text.user, config, reply.media, memory) }
  try {
    const { readTwimlAnswer } = await import('./twiml.ts')
    for (let redirects = 0; ; redirects++) {
      const { messages, redirect } = readTwimlAnswer(answer.headers, answer.body)
      const more = await planReplies(store, text, messages, base, config.webhookAllowPrivate)
      await checkReplies(store, text.user, [...replies, ...more])
      replies.push(...(await Promise.all(more.map(fetchFiles))))
      if (!redirect) return { replies, error: undefined }
      if (redirects === MAX_REDIRECTS)
        throw new TwilioRefusal(NO_SUCCESS, `The answer leads to more than ${MAX_REDIRECTS} others`)
      base = URL.parse(redirect.url, base)?.href ?? ''
      answer = await fetchNext(caller, base, redirect.method)
    }
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    return { replies, error: toTwilioError(error) }
  }
}

async function fetchNext(
  caller: UrlCaller,
  address: string,
  method: 'GET' | 'POST',
): Promise<ResponseHead> {
  const answer = await caller.call(address, method).catch((error: unknown) => {
    if (caller.signal.aborted) throw error
    throw new TwilioRefusal(NO_SUCCESS, readErrorReason(error))
  })
  if (isSuccessStatus(answer.status)) return answer
  throw new TwilioRefusal(NO_SUCCESS, `${new URL(address).origin} answered ${answer.status}`)
}
