import { serverUrl } from '../../data/client.ts'
import type { ApiKey } from '../../data/records.ts'
import { session } from '../../data/session.ts'
import { t } from '../../language/words.ts'

/** A value to enter in a program, with the program's name for it. */
export interface Setting {
  readonly term: string
  readonly code: string
}

/** A kind of program that gets a key: the fields of its record, and the settings to enter there. */
interface ProgramKind {
  readonly label: string
  readonly values: Readonly<Record<string, unknown>>
  readonly settings: (key: ApiKey) => readonly Setting[]
}

export type ProgramKindName = 'own' | 'smsgate' | 'twilio' | 'assistant'

const baseUrl = (code: string): Setting => ({ term: t('Base URL'), code })

export const PROGRAM_KINDS: Readonly<Record<ProgramKindName, ProgramKind>> = {
  own: {
    label: t('A program of mine, by the API of pocketsms'),
    values: {},
    settings: ({ key = '' }) => [baseUrl(serverUrl), { term: 'X-API-Key', code: key }],
  },
  smsgate: {
    label: t('A program made for SMSGate'),
    values: { scopes: ['all:any'] },
    settings: ({ key = '' }) => [
      baseUrl(`${serverUrl}/api/3rdparty/v1`),
      { term: t('User name'), code: session.value?.email || String(session.value?.record.id) },
      { term: t('Password'), code: key },
    ],
  },
  twilio: {
    label: t('A program made for Twilio'),
    values: { twilio: true },
    settings: ({ account_sid = '', auth_token = '', key_sid = '' }) => [
      baseUrl(serverUrl),
      { term: 'AccountSid', code: account_sid },
      { term: 'AuthToken', code: auth_token },
      { term: 'API key SID', code: key_sid },
    ],
  },
  assistant: {
    label: t('An assistant (MCP)'),
    values: { scopes: ['all:any'] },
    settings: ({ key = '' }) => [
      { term: t('Address'), code: `${serverUrl}/mcp` },
      { term: t('Header'), code: `Authorization: Bearer ${key}` },
    ],
  },
}
