import { GatewayError } from '../../../errors.ts'
import { dateOf } from '../../../fields/types/date.ts'
import type { ResponseHead } from '../../../outgoing/send.ts'
import { readable, reasonOf } from '../../../webhooks/call-webhook.ts'
import type { DueDelivery } from '../../../webhooks/due.ts'
import { refusalFor } from '../refusal.ts'
import {
  type Caller,
  type CallServices,
  failed,
  isSuccess,
  type Outcome,
  outcomeOf,
  unanswered,
} from './caller.ts'
import {
  type AnsweredText,
  checkReplies,
  isAnswered,
  planReplies,
  type Reply,
  sendReplies,
} from './replies.ts'
import { readAnswer, TwimlError } from './twiml.ts'

/** Maximum redirects of an answer to further documents. */
const MAX_REDIRECTS = 10
/** The longest time between a text and the call's answer. A later answer sends nothing. */
const MAX_AGE_MS = 3_600_000
const TEST_EVENT = 'webhook.test'

/** Twilio's number of the error for a request that was not answered with success. */
const NO_SUCCESS = 11200

/** Calls the address of an incoming text, and sends the replies that its answer asks for. */
export async function callForText(
  services: CallServices,
  caller: Caller,
  due: DueDelivery,
  method: 'GET' | 'POST',
): Promise<Outcome> {
  let answer: ResponseHead
  try {
    answer = await caller.call(due.url, method)
  } catch (error) {
    if (caller.signal.aborted) throw error
    return unanswered(`${NO_SUCCESS} ${reasonOf(error)}`)
  }
  const { status, body } = answer
  if (!isSuccess(status)) return outcomeOf(status, `${NO_SUCCESS} The address answered ${status}`)
  const error = mayReply(due) ? await reply(services, caller, due, answer) : undefined
  if (error) return failed(status, `${error.code} ${error.message}`)
  return outcomeOf(status, readable(body.toString('utf8')))
}

/** Whether the answer to a call may send replies: not to a test, not to an old text. */
function mayReply({ event, image }: DueDelivery): boolean {
  const receivedMs = dateOf(String(image.created))?.getTime() ?? 0
  return event !== TEST_EVENT && Date.now() - receivedMs < MAX_AGE_MS
}

/** Sends the replies in an answer. Returns the error that prevented some. */
async function reply(services: CallServices, caller: Caller, due: DueDelivery, answer: ResponseHead) {
  const text = answeredText(due)
  try {
    if (await isAnswered(services.store, text)) return undefined
    const { replies, error } = await collectReplies(services, caller, text, answer, due.url)
    // without replies the call can be repeated after a fix
    if (replies.length > 0 || !error) await sendReplies(services, text, replies)
    return error
  } catch (error) {
    if (error instanceof TwimlError) return error
    // internal error: another attempt follows after the lease
    if (!(error instanceof GatewayError)) throw error
    const { code, message } = refusalFor(error)
    return new TwimlError(code, message)
  }
}

const answeredText = ({ user, apiKey, image }: DueDelivery): AnsweredText => ({
  user,
  message: String(image.id),
  device: String(image.device),
  from: String(image.from),
  key: apiKey,
})

/** Replies of an answer and its redirects. `error`: the first fault; replies are those before it. */
async function collectReplies(
  { store, config }: CallServices,
  caller: Caller,
  text: AnsweredText,
  first: ResponseHead,
  address: string,
): Promise<{ readonly replies: readonly Reply[]; readonly error: TwimlError | undefined }> {
  const replies: Reply[] = []
  let [answer, base] = [first, address]
  try {
    for (let redirects = 0; ; redirects++) {
      const { messages, redirect } = readAnswer(answer.headers, answer.body)
      const more = await planReplies(store, text, messages, base, config.webhookAllowPrivate)
      await checkReplies(store, text.user, [...replies, ...more])
      replies.push(...more)
      if (!redirect) return { replies, error: undefined }
      if (redirects === MAX_REDIRECTS)
        throw new TwimlError(NO_SUCCESS, `The answer leads to more than ${MAX_REDIRECTS} others`)
      base = URL.parse(redirect.url, base)?.href ?? ''
      answer = await fetchNext(caller, base, redirect.method)
    }
  } catch (error) {
    if (!(error instanceof TwimlError)) throw error
    return { replies, error }
  }
}

async function fetchNext(caller: Caller, address: string, method: 'GET' | 'POST'): Promise<ResponseHead> {
  const answer = await caller.call(address, method).catch((error: unknown) => {
    if (caller.signal.aborted) throw error
    throw new TwimlError(NO_SUCCESS, reasonOf(error))
  })
  if (isSuccess(answer.status)) return answer
  throw new TwimlError(NO_SUCCESS, `${new URL(address).origin} answered ${answer.status}`)
}
