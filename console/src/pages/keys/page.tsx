import { useState } from 'preact/hooks'
import { serverUrl } from '../../data/client.ts'
import type { ApiKey } from '../../data/records.ts'
import { session } from '../../data/session.ts'
import { useList } from '../../data/use/use-list.ts'
import { t } from '../../language/words.ts'
import { CodeBlock } from '../../parts/code.tsx'
import { Dialog, revoke } from '../../parts/dialog/dialog.tsx'
import { actionsColumn, type Column, ListPage, type RowAction } from '../../parts/list/table.tsx'
import { ShownOnce } from '../../parts/once.tsx'
import { Owner } from '../../parts/owner.tsx'
import { Facts } from '../../parts/page.tsx'
import { type FormRow, RecordForm } from '../../parts/rows/rows-form.tsx'
import type { Value } from '../../parts/rows/values.ts'
import { Badge, msOf, Time } from '../../parts/time.tsx'
import { ChangeKey, hasPrevious, LIMITS, RotateKey, turn } from './change-key.tsx'

const NAME: Column<ApiKey> = { title: t('Name'), cell: ({ name }) => name }
const OWNER: Column<ApiKey> = { title: t('User'), cell: (key) => <Owner record={key} /> }
const othersFor = (actions: (key: ApiKey) => readonly RowAction[]): readonly Column<ApiKey>[] => [
  {
    title: t('State'),
    cell: ({ disabled }) => <Badge tone={disabled ? 'calm' : 'good'}>{disabled ? t('Off') : t('On')}</Badge>,
  },
  { title: t('Begins with'), cell: (key) => <span class="mono">{key.prefix}…</span> },
  { title: t('Last used'), cell: (key) => <LastUse of={key} /> },
  { title: t('Expires'), cell: (key) => <Expiry at={key.expires_at} /> },
  { title: t('Created'), cell: (key) => <Time at={key.created} /> },
  actionsColumn((key) => [
    ...actions(key),
    { words: key.disabled ? t('Switch on') : t('Switch off'), onClick: () => void turn(key) },
    { icon: 'trash', words: t('Revoke {name}', { name: key.name }), onClick: () => revokeKey(key) },
  ]),
]

export function Page() {
  const isAll = session.value?.role === 'superuser'
  const list = useList<ApiKey>('api_keys', { expand: isAll ? 'user' : '' })
  const [rotated, setRotated] = useState<ApiKey>()
  const shared = { title: t('API keys'), list, icon: 'keys' } as const
  return isAll ? (
    <ListPage
      {...shared}
      text={t('Those of all users. A key that is revoked opens nothing any more.')}
      caption={t('API keys of all users')}
      columns={[NAME, OWNER, ...othersFor(() => [])]}
      none={[t('No keys yet'), t('Users make them, for the programs that send in their names.')]}
    />
  ) : (
    <>
      <ListPage
        {...shared}
        text={t('A key lets a program send in your name, and nothing else. Give each program its own.')}
        columns={(edit) => [
          NAME,
          ...othersFor((key) => [
            { icon: 'edit', words: t('Change {name}', { name: key.name }), onClick: () => edit(key) },
            {
              icon: 'again',
              words: t('A new secret for {name}', { name: key.name }),
              onClick: () => setRotated(key),
            },
          ]),
        ]}
        none={[
          t('No keys yet'),
          t('Make one for the program that is to send: your web shop, a script, an alarm.'),
        ]}
        add={t('New key')}
        dialog={(key, close) =>
          key ? <ChangeKey record={key} onClose={close} /> : <NewKey onClose={close} />
        }
      />
      {rotated && <RotateKey record={rotated} onClose={() => setRotated(undefined)} />}
    </>
  )
}

const LastUse = ({ of }: { of: ApiKey }) => (
  <span class="breaks">
    <Time at={of.last_used_at} none={t('never')} />
    {of.last_used_ip && <span class="muted"> {of.last_used_ip}</span>}
    {hasPrevious(of) && <span class="muted mono"> {of.last_used_prefix}…</span>}
  </span>
)

function Expiry({ at }: { at: string }) {
  if (at !== '' && msOf(at) < Date.now()) return <Badge tone="bad">{t('Expired')}</Badge>
  return <Time at={at} none={t('never')} />
}

const revokeKey = (key: ApiKey) =>
  revoke(
    `/api/collections/api_keys/records/${key.id}`,
    {
      title: t('Revoke {name}?', { name: key.name }),
      text: t('Programs that send with it are refused from now on.'),
      action: t('Revoke the key'),
    },
    t('{name} was revoked', { name: key.name }),
  )

const DAY_MS = 86_400_000
const SENDS_ONLY = t('It sends, and cancels and views what it has sent.')
const DOES_ALL = t('It sends, and reads all messages, conversations and devices.')

const expiryOf = (days: Value) =>
  days === '' ? '' : new Date(Date.now() + Number(days) * DAY_MS).toISOString()

function NewKey({ onClose }: { onClose: () => void }) {
  const [kind, setKind] = useState<ProgramKindName>('own')
  const [made, setMade] = useState<ApiKey>()
  const rows: readonly FormRow[] = [
    {
      ...{ name: 'name', label: t('Name'), autofocus: true },
      hint: t('The program that uses it, such as web shop.'),
    },
    {
      ...{ name: 'kind', label: t('For') },
      choices: Object.entries(PROGRAM_KINDS).map(([name, { label }]) => [name, label] as const),
      hint: (values) => PROGRAM_KINDS[values.kind as ProgramKindName].hint,
    },
    {
      ...{ name: 'expires_at', label: t('Expires'), write: expiryOf },
      choices: [
        ['', t('Never')],
        ['30', t('In 30 days')],
        ['90', t('In 90 days')],
        ['365', t('In a year')],
      ],
    },
    ...LIMITS(),
  ]
  if (made?.key)
    return (
      <ShownOnce title={t('The key of {name}', { name: made.name })} onClose={onClose}>
        <Facts
          class="copied-settings"
          facts={PROGRAM_KINDS[kind].settings(made).map(([term, code]) => [term, <CodeBlock code={code} />])}
        />
        {kind === 'own' && (
          <>
            <p>{t('A send with it, from a terminal:')}</p>
            <CodeBlock code={example(made.key)} />
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
        action={t('Make the key')}
        {...{ onSaved: setMade, onCancel: onClose }}
      />
    </Dialog>
  )
}

const example = (key: string) => `curl ${serverUrl}/api/sms/send -H "X-API-Key: ${key}" \\
  --json '{"recipients":["+4915112345678"],"body":"Hello"}'`

type Setting = readonly [term: string, code: string]

interface ProgramKind {
  readonly label: string
  readonly hint: string
  readonly values: Readonly<Record<string, unknown>>
  readonly settings: (key: ApiKey) => readonly Setting[]
}

type ProgramKindName = 'own' | 'smsgate' | 'twilio' | 'assistant'

const baseUrl = (code: string): Setting => [t('Base URL'), code]

const PROGRAM_KINDS: Readonly<Record<ProgramKindName, ProgramKind>> = {
  own: {
    label: t('A program of mine, by the API of pocketsms'),
    hint: SENDS_ONLY,
    values: {},
    settings: ({ key = '' }) => [baseUrl(serverUrl), ['X-API-Key', key]],
  },
  smsgate: {
    label: t('A program made for SMSGate'),
    hint: DOES_ALL,
    values: { scopes: ['all:any'] },
    settings: ({ key = '' }) => [
      baseUrl(`${serverUrl}/api/3rdparty/v1`),
      [t('User name'), session.value?.email || String(session.value?.record.id)],
      [t('Password'), key],
    ],
  },
  twilio: {
    label: t('A program made for Twilio'),
    hint: t('It sends, and reads and deletes all messages.'),
    values: { twilio: true },
    settings: ({ account_sid = '', auth_token = '', key_sid = '' }) => [
      baseUrl(serverUrl),
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
