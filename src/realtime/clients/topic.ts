import { checkFields, each, length, notLonger, required } from '../../collections/checks/checks.ts'
import { badRequest } from '../../errors.ts'
import { object, ShapeError, text, texts } from '../../fields/shape.ts'
import { toText } from '../../fields/values/cast.ts'
import { snakeCase } from '../../files/stored-name.ts'
import { isObject, parseJson } from '../../tools/json.ts'

export interface Topic {
  /** The name as the client wrote it; also the name of its events. */
  readonly name: string
  /** `contacts`, `contacts/*` or `contacts/RECORD_ID`. Any other topic gets no events. */
  readonly base: string
  readonly query: Readonly<Record<string, string>>
  /** Names in snake_case, as rules see them. */
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Reads a topic with its `options`, JSON of `{"query": {…}, "headers": {…}}`, without invalid parts.
 * PocketBase: tools/subscriptions/client.go, Subscribe
 */
export function readTopic(name: string, options = ''): Topic {
  const { query, headers } = (parseJson(options) ?? {}) as { query?: unknown; headers?: unknown }
  return {
    name,
    base: name.split('?', 1)[0]!,
    query: asTexts(query, (key) => key),
    headers: asTexts(headers, snakeCase),
  }
}

/** Estimated bytes of a subscription. Measured: SQL and parameters of a filter take 25 to 40 a character. */
export function bytesOf({ name, query, headers }: Topic): number {
  const options = Object.keys(query).length + Object.keys(headers).length
  return 1_000 + 2 * name.length + 100 * options + 40 * (query.filter?.length ?? 0)
}

function asTexts(values: unknown, rename: (key: string) => string): Record<string, string> {
  if (!isObject(values)) return {}
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [rename(key), toText(value)]))
}

interface SubscribeForm {
  clientId: string
  subscriptions: string[]
}

const FORM = object<SubscribeForm>({ clientId: text, subscriptions: texts })
const MAX_ID_BYTES = 255
const MAX_TOPICS = 1_000
const MAX_TOPIC_BYTES = 2_500

/** Reads a subscription. Throws 400 with field errors. PocketBase: apis/realtime.go, realtimeSubscribeForm */
export function readSubscribeForm(values: Readonly<Record<string, unknown>>, isJson = false): SubscribeForm {
  const form = decode(values, isJson)
  const checks = {
    clientId: [required, length(1, MAX_ID_BYTES)],
    subscriptions: [notLonger(MAX_TOPICS), each(notLonger(MAX_TOPIC_BYTES))],
  }
  checkFields(form, checks, '')
  return form
}

function decode(values: Readonly<Record<string, unknown>>, isJson: boolean): SubscribeForm {
  try {
    return FORM.over(values, FORM.zero(), isJson)
  } catch (error) {
    throw error instanceof ShapeError ? badRequest() : error
  }
}
