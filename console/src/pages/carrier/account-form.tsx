import { useEffect, useRef, useState } from 'preact/hooks'
import {
  type CarrierAccount,
  type CarrierBody,
  type CarrierPreset,
  sendCarrier,
} from '../../data/carriers/carriers.ts'
import { refusalText } from '../../data/carriers/refusal-words.ts'
import { t } from '../../language/words.ts'
import { RowsForm } from '../../parts/rows/rows-form.tsx'
import { makeBody } from './account-body.ts'
import { atField } from './account-errors.ts'
import { accountRows } from './account-form-rows.ts'

interface Checked {
  readonly request: string
  readonly accepted: boolean | null
  /** The values of the form that the request was made of. */
  readonly typed: string
}

const send = (device: string, body: CarrierBody) =>
  sendCarrier(device, body).catch((error: unknown) => {
    throw atField(error)
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
      const { request, accepted, refusal } = await send(device, { ...body, check: true })
      if (refusal) throw new Error(refusalText(refusal))
      setChecked({ request, accepted, typed: JSON.stringify(all) })
      return undefined
    }
    const made = await send(device, body)
    setChecked(undefined)
    onSaved(made.device)
    return ''
  }
  const rows = [
    ...accountRows(preset, device === ''),
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

/** What the server sends to the carrier for a sample text. */
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
