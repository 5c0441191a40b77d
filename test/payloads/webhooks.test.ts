import { fillTemplates } from '../../src/gateway/webhooks/fill-templates.ts'
import { WEBHOOK_PRESETS } from '../../src/portable/webhook-presets.ts'
import { runPayloads } from './run-payloads.ts'

interface Sent {
  readonly type?: string
  /** Fields of the message. */
  readonly data?: object
  /** A text of the message that repeats. */
  readonly long?: { readonly text: string; readonly times: number }
  /** The body of a webhook that replaces the preset's. */
  readonly body?: object
}

interface Outcome {
  readonly body?: object | string
  /** The longest text of the body, in each unit. */
  readonly longest?: { characters?: number; units?: number; bytes?: number; end?: string }
  readonly bytes?: number
}

const FIELDS = { method: '', headers: null, target: 'chat', token: 'sesame' }
const MESSAGE = {
  id: 'k3v9x0c2m5n8b1a',
  from: '+4915123456789',
  to: '+4915112345678',
  body: 'Hi',
  status: 'received',
  error_message: '',
  message_type: 'incoming',
}

function* textsOf(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value
  else if (typeof value === 'object' && value)
    for (const one of Object.values(value)) yield* textsOf(one)
}

/** A message's event fills the templates of a preset: the body that its service gets. */
runPayloads<Sent, Outcome>(
  'webhooks',
  Object.keys(WEBHOOK_PRESETS),
  (name, { type = 'message.received', data, long, body }) => {
    const { url } = WEBHOOK_PRESETS[name as keyof typeof WEBHOOK_PRESETS]
    const message = { ...MESSAGE, ...data, ...(long && { body: long.text.repeat(long.times) }) }
    const event = {
      id: 'e',
      body: JSON.stringify({ type, timestamp: '2026-11-24T10:00:00Z', data: message }),
    }
    const own = body ? JSON.stringify(body) : null
    const filled = fillTemplates({ ...FIELDS, preset: name, url, body: own }, event)
    const sent = filled.mail ?? JSON.parse(filled.body)
    const longest = [...textsOf(sent)].reduce((a, b) => (b.length > a.length ? b : a))
    return {
      body: sent,
      longest: {
        characters: [...longest].length,
        units: longest.length,
        bytes: Buffer.byteLength(longest),
        end: longest.slice(-3),
      },
      bytes: Buffer.byteLength(filled.body),
    }
  },
)
