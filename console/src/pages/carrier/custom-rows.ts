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

const makeLineRow = (name: string, label: string, placeholder = ''): FieldRow => ({
  name: `custom.${name}`,
  label,
  placeholder,
  spellcheck: false,
})

const makeListRow = (name: string, label: string, placeholder: string): FieldRow => ({
  ...makeLineRow(name, label, placeholder),
  kind: 'list',
})

const readJson = (stored: unknown) => (stored ? JSON.stringify(stored, null, 2) : '')

function parseTypedJson(typed: Value): unknown {
  if (String(typed).trim() === '') return ''
  try {
    return JSON.parse(String(typed))
  } catch {
    return undefined
  }
}

const makeJsonRow = (name: string, label: string, rows: number): FieldRow => ({
  ...makeLineRow(name, label),
  rows,
  read: readJson,
  write: parseTypedJson,
  error: (typed) => (parseTypedJson(typed) === undefined ? t('This is no JSON.') : undefined),
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

const makeConditionRow = (name: string): FieldRow => ({
  ...makeLineRow(name, t('Only calls in which'), 'type=sms'),
  read: readCondition,
  write: writeCondition,
})

const showIfSignedBy = (...kinds: readonly string[]) => ({
  shown: (values: Values) => kinds.includes(String(values['custom.signature.kind'])),
})

const SIGNATURE: readonly FormRow[] = [
  {
    ...makeLineRow('signature.kind', t('How it signs its calls')),
    choices: [
      ['', t('Not at all: the address is the secret')],
      ['hmac', 'HMAC'],
      ['ed25519', 'Ed25519'],
      ['jwt', 'JSON Web Token (HS256)'],
    ],
    kind: 'select',
  },
  {
    ...makeLineRow('signature.header', t('Header of the signature'), 'x-signature'),
    ...showIfSignedBy('hmac', 'ed25519', 'jwt'),
  },
  [
    {
      ...makeLineRow('signature.hash', t('Hash')),
      kind: 'select',
      choices: ['', 'sha256', 'sha1', 'sha512'].map((one) => [one, one || '–'] as const),
      ...showIfSignedBy('hmac'),
    },
    {
      ...makeLineRow('signature.encoding', t('Encoding')),
      kind: 'select',
      choices: ['', 'hex', 'base64'].map((one) => [one, one || '–'] as const),
      ...showIfSignedBy('hmac'),
    },
  ],
  {
    ...makeListRow('signature.of', t('Signed parts'), 'body'),
    ...showIfSignedBy('hmac', 'ed25519'),
    hint: t(
      'The signed parts in their order: body, url, address, params, header:NAME, or a text itself.',
    ),
  },
  {
    ...makeLineRow('signature.timestamp', t('Header of the time'), 'x-timestamp'),
    ...showIfSignedBy('hmac', 'ed25519'),
  },
]

/** The fields of an HTTP interface that no preset describes. */
export const makeCustomRows = (): readonly FormRow[] => [
  [
    {
      ...makeLineRow('send.method', t('Method')),
      kind: 'select',
      choices: ['POST', 'GET', 'PUT'].map((one) => [one, one] as const),
    },
    makeLineRow('send.path', t('Path'), '/v1/messages'),
  ],
  {
    ...makeJsonRow('send.body', t('Body'), 5),
    shown: (values) => values['custom.send.method'] !== 'GET',
    hint: t(
      'JSON, whose texts are templates: {{to}}, {{from}}, {{body}}, {{ref}}, {{callback}}, {{user}}, {{secret}}. The path may have them, too. With the content-type of a form it is sent as a form.',
    ),
  },
  makeJsonRow('send.headers', t('Headers'), 4),
  {
    summary: t('The answer'),
    folded: [
      {
        ...makeLineRow('answer.id', t('Where the carrier’s id is'), 'messages.0.id'),
        hint: t(
          'The path of the id: names with dots between. A text counts as sent if the answer has an id.',
        ),
      },
      [
        makeLineRow('answer.code', t('Where a refusal’s code is'), 'error.code'),
        makeListRow('answer.error', t('Where a refusal’s text is'), 'error.message'),
      ],
      {
        ...makeLineRow('isIdempotent', t('It sends texts with the same {{ref}} only once')),
        kind: 'check',
      },
    ],
  },
  {
    summary: t('Delivery reports'),
    folded: [
      [
        makeLineRow('receipt.ref', t('Where the reference is'), 'ref'),
        makeLineRow('receipt.status', t('Where the status is'), 'status'),
      ],
      [
        makeListRow('receipt.delivered', t('Delivered means'), 'delivered'),
        makeListRow('receipt.failed', t('Failed means'), 'failed, rejected'),
      ],
    ],
  },
  {
    summary: t('Incoming texts'),
    folded: [
      [
        makeLineRow('incoming.from', t('Where the sender is'), 'from'),
        makeLineRow('incoming.to', t('Where your number is'), 'to'),
      ],
      [
        makeLineRow('incoming.body', t('Where the text is'), 'text'),
        makeLineRow('incoming.id', t('Where its id is'), 'id'),
      ],
      makeConditionRow('incoming.when'),
    ],
  },
  { summary: t('Signature of its calls'), folded: SIGNATURE },
]
