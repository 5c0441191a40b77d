import { t } from '../../language/words.ts'
import type { FieldRow, FormRow } from '../../parts/rows/form-row.ts'
import type { Value, Values } from '../../parts/rows/values.ts'

/** An interface to begin with: JSON with the recipient and the text. */
export const BLANK_INTERFACE = {
  send: {
    method: 'POST',
    path: '/',
    headers: { 'content-type': 'application/json', authorization: 'Bearer {{secret}}' },
    body: { from: '{{from}}', to: '{{to}}', text: '{{body}}' },
  },
  answer: {},
}

const line = (name: string, label: string, placeholder = ''): FieldRow => ({
  name: `custom.${name}`,
  label,
  placeholder,
  spellcheck: false,
})

const list = (name: string, label: string, placeholder: string): FieldRow => ({
  ...line(name, label, placeholder),
  kind: 'list',
})

const readJson = (stored: unknown) => (stored ? JSON.stringify(stored, null, 2) : '')

function parsed(typed: Value): unknown {
  if (String(typed).trim() === '') return ''
  try {
    return JSON.parse(String(typed))
  } catch {
    return undefined
  }
}

const json = (name: string, label: string, rows: number): FieldRow => ({
  ...line(name, label),
  rows,
  read: readJson,
  write: parsed,
  error: (typed) => (parsed(typed) === undefined ? t('This is no JSON.') : undefined),
})

const readCondition = (stored: unknown) =>
  Object.entries((stored ?? {}) as Record<string, readonly string[]>)
    .map(([path, values]) => `${path}=${values.join('|')}`)
    .join(', ')

const writeCondition = (typed: Value) =>
  Object.fromEntries(
    String(typed)
      .split(',')
      .filter((part) => part.includes('='))
      .map((part) => {
        const [path = '', values = ''] = part.split(/=(.*)/s)
        return [path.trim(), values.split('|').map((value) => value.trim())]
      }),
  )

const condition = (name: string): FieldRow => ({
  ...line(name, t('Only calls in which'), 'type=sms'),
  read: readCondition,
  write: writeCondition,
})

const signedBy = (...kinds: readonly string[]) => ({
  shown: (values: Values) => kinds.includes(String(values['custom.signature.kind'])),
})

const SIGNATURE: readonly FormRow[] = [
  {
    ...line('signature.kind', t('How it signs its calls')),
    choices: [
      ['', t('Not at all: the address is the secret')],
      ['hmac', 'HMAC'],
      ['ed25519', 'Ed25519'],
      ['jwt', 'JSON Web Token (HS256)'],
    ],
    kind: 'select',
  },
  {
    ...line('signature.header', t('Header of the signature'), 'x-signature'),
    ...signedBy('hmac', 'ed25519', 'jwt'),
  },
  [
    {
      ...line('signature.hash', t('Hash')),
      kind: 'select',
      choices: ['', 'sha256', 'sha1', 'sha512'].map((one) => [one, one || '–'] as const),
      ...signedBy('hmac'),
    },
    {
      ...line('signature.encoding', t('Encoding')),
      kind: 'select',
      choices: ['', 'hex', 'base64'].map((one) => [one, one || '–'] as const),
      ...signedBy('hmac'),
    },
  ],
  {
    ...list('signature.of', t('Signed parts'), 'body'),
    ...signedBy('hmac', 'ed25519'),
    hint: t(
      'The signed parts in their order: body, url, address, params, header:NAME, or a text itself.',
    ),
  },
  {
    ...line('signature.timestamp', t('Header of the time'), 'x-timestamp'),
    ...signedBy('hmac', 'ed25519'),
  },
]

/** The fields of an HTTP interface that no preset describes. */
export const customRows = (): readonly FormRow[] => [
  [
    {
      ...line('send.method', t('Method')),
      kind: 'select',
      choices: ['POST', 'GET', 'PUT'].map((one) => [one, one] as const),
    },
    line('send.path', t('Path'), '/v1/messages'),
  ],
  {
    ...json('send.body', t('Body'), 5),
    shown: (values) => values['custom.send.method'] !== 'GET',
    hint: t(
      'JSON, whose texts are templates: {{to}}, {{from}}, {{body}}, {{ref}}, {{callback}}, {{user}}, {{secret}}. The path may have them, too. With the content-type of a form it is sent as a form.',
    ),
  },
  json('send.headers', t('Headers'), 4),
  {
    summary: t('The answer'),
    folded: [
      {
        ...line('answer.id', t('Where the carrier’s id is'), 'messages.0.id'),
        hint: t(
          'The path of the id: names with dots between. A text counts as sent if the answer has an id.',
        ),
      },
      [
        line('answer.code', t('Where a refusal’s code is'), 'error.code'),
        list('answer.error', t('Where its words are'), 'error.message'),
      ],
      {
        ...line('isIdempotent', t('It sends a text once that has the same {{ref}} twice')),
        kind: 'check',
      },
    ],
  },
  {
    summary: t('Delivery reports'),
    folded: [
      [
        line('receipt.ref', t('Where the reference is'), 'ref'),
        line('receipt.status', t('Where the status is'), 'status'),
      ],
      [
        list('receipt.delivered', t('Delivered means'), 'delivered'),
        list('receipt.failed', t('Failed means'), 'failed, rejected'),
      ],
    ],
  },
  {
    summary: t('Incoming texts'),
    folded: [
      [
        line('incoming.from', t('Where the sender is'), 'from'),
        line('incoming.to', t('Where your number is'), 'to'),
      ],
      [
        line('incoming.body', t('Where the text is'), 'text'),
        line('incoming.id', t('Where its id is'), 'id'),
      ],
      condition('incoming.when'),
    ],
  },
  { summary: t('Signature of its calls'), folded: SIGNATURE },
]
