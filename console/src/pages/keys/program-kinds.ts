import { serverUrl } from '../../data/client.ts'
import type { ApiKey } from '../../data/record-types.ts'
import { session } from '../../data/session.ts'
import { t } from '../../language/words.ts'

const SENDS_ONLY = t('The program sends, and views and cancels its own texts.')
const DOES_ALL = t('The program sends, and reads all messages, conversations and devices.')

export const example = (key: string) => `curl ${serverUrl}/api/sms/send -H "X-API-Key: ${key}" \\
  --json '{"recipients":["+4915112345678"],"body":"Hello"}'`

type Setting = readonly [term: string, code: string]

interface ProgramKind {
  readonly label: string
  readonly hint: string
  readonly values: Readonly<Record<string, unknown>>
  readonly settings: (key: ApiKey) => readonly Setting[]
}

export type ProgramKindName = 'own' | 'smsgate' | 'twilio' | 'assistant'

const baseUrl = (code: string): Setting => [t('Base URL'), code]

export const PROGRAM_KINDS: Readonly<Record<ProgramKindName, ProgramKind>> = {
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
    hint: t('The program sends, and reads and deletes all messages.'),
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
