import { ClientResponseError } from 'pocketbase'
import { useEffect, useRef, useState } from 'preact/hooks'
import {
  type CarrierAccount,
  type CarrierBody,
  type CarrierPreset,
  saveCarrierAccount,
} from '../../data/carriers/carriers.ts'
import { describeRefusal } from '../../data/carriers/refusal-words.ts'
import type { Choices } from '../../data/choices.ts'
import { t } from '../../language/words.ts'
import { RowsForm } from '../../parts/rows/rows-form.tsx'
import { makeBody } from './account-body.ts'
import { makeAccountRows } from './account-form-rows.ts'
import '../../style/code-block.css'

interface Checked {
  readonly request: string
  readonly accepted: boolean | null
  /** The values of the form that the request was made of. */
  readonly typed: string
}

const sendAccount = (device: string, body: CarrierBody) =>
  saveCarrierAccount(device, body).catch((error: unknown) => {
    throw placeAtField(error)
  })

/**
 * The account of a carrier. Its first submit tries the credentials and shows the request for a sample text;
 * the second stores the account. A change after the first shows the request again.
 */
export function AccountForm({
  preset,
  account,
  device,
  action,
  onSaved,
  onCancel,
}: {
  preset: CarrierPreset
  account: CarrierAccount
  device: string
  action: string
  onSaved: (device: string) => void
  onCancel: () => void
}) {
  const [checked, setChecked] = useState<Checked>()
  const [typed, setTyped] = useState('')
  const isChecked = checked !== undefined && checked.typed === typed
  const save = async (changes: Readonly<Record<string, unknown>>, all: object) => {
    const body = makeBody(account, changes)
    if (!isChecked) {
      const { request, accepted, refusal } = await sendAccount(device, { ...body, check: true })
      if (refusal) throw new Error(describeRefusal(refusal))
      setChecked({ request, accepted, typed: JSON.stringify(all) })
      return undefined
    }
    const made = await sendAccount(device, body)
    setChecked(undefined)
    onSaved(made.device)
    return ''
  }
  const rows = [
    ...makeAccountRows(preset, device === ''),
    () => isChecked && <Request key="request" {...checked} />,
  ]
  return (
    <RowsForm
      draftKey={`carrier.${device || 'new'}.${preset.name}`}
      rows={rows}
      stored={{ name: '', ...account }}
      save={save}
      action={isChecked ? action : t('Show the request')}
      onTyped={(all) => setTyped(JSON.stringify(all))}
      onCancel={onCancel}
    />
  )
}

/** The server's request to the carrier for a sample text. */
function Request({ request, accepted }: Checked) {
  const element = useRef<HTMLElement>(null)
  useEffect(() => element.current?.scrollIntoView({ block: 'nearest' }), [request])
  return (
    <section class="carrier-request" ref={element} role="status">
      <h2>{t('What your server will send')}</h2>
      {accepted !== null && (
        <p>
          {accepted
            ? t('The carrier accepts the credentials.')
            : t('The carrier answers. Only a test text shows whether it accepts the credentials.')}
        </p>
      )}
      <p class="note">{t('For a sample text, with hidden secrets. Nothing is stored yet.')}</p>
      <div class="code-block">
        <pre>
          <code>{request}</code>
        </pre>
      </div>
    </section>
  )
}

const NEEDS_SECRET = /^A change of preset, url, user, values or custom needs/
const AT_FIELD = /^account\.([\w.]+): (.+)$/
const MISSING = /^(?:(url) is missing|values has no (\w+))/
const SEND = /^custom\.(send|url)\b (.+)$/

/** Words for zod's messages, which name no field. */
const WRONG: Choices<RegExp> = [
  [
    /^must be a number with \+/,
    t('Write a number with +, a short code, or a name of at most 11 characters.'),
  ],
  [/^must be an address/, t('Write an address such as https://example.com.')],
  [/^Too big/, t('This is too much.')],
  [/^Too small/, t('This is too little.')],
  [/^Invalid/, t('Fill this in.')],
]

/** The field that the server's sentence is about, and the words to show there. */
function findPlace(message: string): readonly [field: string, words: string] | undefined {
  if (NEEDS_SECRET.test(message))
    return ['secret', t('Enter this again, because you changed where it is sent.')]
  const [, url, value] = MISSING.exec(message) ?? []
  if (url || value) return [url ?? `values.${value}`, t('Fill this in.')]
  const [, part, why = ''] = SEND.exec(message) ?? []
  if (part) return [part === 'send' ? 'custom.send.path' : 'url', why]
  const [, field = '', said = ''] = AT_FIELD.exec(message) ?? []
  if (!field) return undefined
  return [field, WRONG.find(([pattern]) => pattern.test(said))?.[1] ?? said]
}

/** Moves the server's sentence about an account beside the field that it is about. */
function placeAtField(error: unknown): unknown {
  if (!(error instanceof ClientResponseError)) return error
  const [field, message] = findPlace(String(error.response.message ?? '')) ?? []
  if (!field) return error
  return new ClientResponseError({
    url: error.url,
    status: error.status,
    response: { ...error.response, data: { [field]: { message } } },
  })
}
