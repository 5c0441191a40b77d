import { object, ShapeError, text, texts } from '../../collections/definition/decode.ts'
import { badRequest, type ErrorData, type FieldError, fieldError } from '../../errors.ts'

/** What a client sends to subscribe. */
export interface SubscribeForm {
  clientId: string
  subscriptions: string[]
}

const FORM = object<SubscribeForm>({ clientId: text, subscriptions: texts })
const MAX_ID_BYTES = 255
const MAX_TOPICS = 1_000
const MAX_TOPIC_BYTES = 2_500

/**
 * Reads a subscription from the values of a body. Throws 400, with the fields that are missing or too long.
 * PocketBase: apis/realtime.go, realtimeSubscribeForm
 */
export function readSubscribeForm(values: Readonly<Record<string, unknown>>): SubscribeForm {
  const form = decode(values)
  const [clientId, subscriptions] = [checkId(form.clientId), checkTopics(form.subscriptions)]
  const errors: ErrorData = { ...(clientId && { clientId }), ...(subscriptions && { subscriptions }) }
  if (clientId || subscriptions) throw badRequest('', errors)
  return form
}

function decode(values: Readonly<Record<string, unknown>>): SubscribeForm {
  try {
    return FORM.over(values, FORM.zero())
  } catch (error) {
    throw error instanceof ShapeError ? badRequest() : error
  }
}

function checkId(id: string): FieldError | undefined {
  if (id === '') return fieldError('validation_required', 'Cannot be blank')
  if (Buffer.byteLength(id) <= MAX_ID_BYTES) return undefined
  const message = `The length must be between 1 and ${MAX_ID_BYTES}`
  return fieldError('validation_length_out_of_range', message, { max: MAX_ID_BYTES, min: 1 })
}

function checkTopics(topics: readonly string[]): FieldError | ErrorData | undefined {
  if (topics.length > MAX_TOPICS) return tooLong(MAX_TOPICS)
  const long = topics.flatMap((topic, i) => (Buffer.byteLength(topic) > MAX_TOPIC_BYTES ? [i] : []))
  return long.length > 0 ? Object.fromEntries(long.map((i) => [i, tooLong(MAX_TOPIC_BYTES)])) : undefined
}

const tooLong = (max: number) =>
  fieldError('validation_length_too_long', `The length must be no more than ${max}`, { max, min: 0 })
