import { useState } from 'preact/hooks'
import { serverUrl } from '../../data/client.ts'
import type { ApiKey } from '../../data/record-types.ts'
import { session } from '../../data/session.ts'
import { t } from '../../language/words.ts'
import { CodeBlock } from '../../parts/code.tsx'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import { ShownOnce } from '../../parts/once.tsx'
import { Facts } from '../../parts/page.tsx'
import type { FormRow } from '../../parts/rows/form-row.ts'
import { RecordForm } from '../../parts/rows/record-form.tsx'
import { EXPIRY, LIMITS } from './change-key.tsx'

export function NewKey({ onClose }: { onClose: () => void }) {
  const [kind, setKind] = useState<ProgramKindName>('own')
  const [made, setMade] = useState<ApiKey>()
  const rows: readonly FormRow[] = [
    {
      name: 'name',
      label: t('Name'),
      autofocus: true,
      hint: t('The program that uses the key, such as web shop.'),
    },
    {
      name: 'kind',
      label: t('For'),
      choices: Object.entries(PROGRAM_KINDS).map(([name, { label }]) => [name, label] as const),
      hint: (values) => PROGRAM_KINDS[values.kind as ProgramKindName].hint,
    },
    EXPIRY,
    ...LIMITS(),
  ]
  if (made?.key)
    return (
      <ShownOnce title={t('The key of {name}', { name: made.name })} onClose={onClose}>
        <Facts
          class="copied-settings"
          facts={PROGRAM_KINDS[kind]
            .settings(made)
            .map(([term, code]) => [term, <CodeBlock code={code} />])}
        />
        {kind === 'own' && (
          <>
            <p>{t('To send with it from a terminal:')}</p>
            <CodeBlock code={writeCurlExample(made.key)} />
          </>
        )}
      </ShownOnce>
    )
  return (
    <Dialog title={t('New key')} onClose={onClose}>
      <RecordForm
        collection="api_keys"
        rows={rows}
        blank={{ kind }}
        prepare={({ kind: chosen, ...fields }) => {
          setKind(chosen as ProgramKindName)
          return { ...PROGRAM_KINDS[chosen as ProgramKindName].values, ...fields }
        }}
        action={t('Create the key')}
        onSaved={setMade}
        onCancel={onClose}
      />
    </Dialog>
  )
}

const SENDS_ONLY = t('The program sends, and views and cancels its own texts.')
const DOES_ALL = t('The program sends, and reads all messages, conversations and devices.')

const writeCurlExample = (key: string) => `curl ${serverUrl}/api/sms/send -H "X-API-Key: ${key}" \\
  --json '{"recipients":["+4915112345678"],"body":"Hello"}'`

type Setting = readonly [term: string, code: string]

interface ProgramKind {
  readonly label: string
  readonly hint: string
  readonly values: Readonly<Record<string, unknown>>
  readonly settings: (key: ApiKey) => readonly Setting[]
}

type ProgramKindName = 'own' | 'smsgate' | 'twilio' | 'assistant'

const makeBaseUrlSetting = (code: string): Setting => [t('Base URL'), code]

const PROGRAM_KINDS: Readonly<Record<ProgramKindName, ProgramKind>> = {
  own: {
    label: t('A program of mine, by the API of pocketsms'),
    hint: SENDS_ONLY,
    values: {},
    settings: ({ key = '' }) => [makeBaseUrlSetting(serverUrl), ['X-API-Key', key]],
  },
  smsgate: {
    label: t('A program made for SMSGate'),
    hint: DOES_ALL,
    values: { scopes: ['all:any'] },
    settings: ({ key = '' }) => [
      makeBaseUrlSetting(`${serverUrl}/api/3rdparty/v1`),
      [t('User name'), session.value?.email || String(session.value?.record.id)],
      [t('Password'), key],
    ],
  },
  twilio: {
    label: t('A program made for Twilio'),
    hint: t('The program sends, and reads and deletes all messages.'),
    values: { twilio: true },
    settings: ({ account_sid = '', auth_token = '', key_sid = '' }) => [
      makeBaseUrlSetting(serverUrl),
      ['AccountSid', account_sid],
      ['AuthToken', auth_token],
      ['API key SID', key_sid],
    ],
  },
  assistant: {
    label: t('An assistant (MCP)'),
    hint: DOES_ALL,
    values: { scopes: ['all:any'] },
    settings: ({ key = '' }) => [
      [t('Address'), `${serverUrl}/mcp`],
      [t('Header'), `Authorization: Bearer ${key}`],
    ],
  },
}
