import type { Media } from '../../base/message-files.ts'
import type { ConsentScope } from './consent-scope.ts'
import { readStoredOptions, type StoredOptions } from './stored-options.ts'

export type Content = PlainContent | TemplateContent
interface TemplateContent extends Written {
  readonly templateId: string
  readonly variables: Variables
}
interface Written {
  /** Signs that look like those of the GSM alphabet become these, if that saves segments. */
  readonly isSmart?: boolean
  /** A variable without a default whose value is empty is refused, as an absent one is. */
  readonly requiresValues?: boolean
}
/** `shown`: what all but the sending device see instead of `body`, which is then stored encrypted. */
interface PlainContent extends Written {
  readonly body: string
  readonly shown?: string
  /** Null or absent: the text has no variables. */
  readonly variables?: Variables | null
}
export type Variables = Readonly<Record<string, string>>

/** A parsed request body. Phone numbers, ids and the text's length are not checked yet. */
export interface SendBody {
  readonly recipients: readonly string[]
  readonly groupIds: readonly string[]
  readonly deviceId: string
  /** The line (SIM) that sends, by id or number; both are '' for any line. */
  readonly line: NamedLine
  readonly content: Content
  /** The files of an MMS; absent for a text. */
  readonly media?: Media | undefined
  readonly options: SendOptions
}

export interface NamedLine {
  readonly id: string
  readonly number: string
}
export const ANY_LINE: NamedLine = { id: '', number: '' }

/** Options of a send. Dates are PocketBase dates, '' if unset. */
export interface SendOptions extends StoredOptions {
  readonly scheduledAt: string
  /** For how long the sender may take the text back before a device gets it. */
  readonly undoSeconds?: number
  readonly expiresAt: string
  readonly clientRef: string
  /** A bulk text does not change its conversation. */
  readonly isBulk: boolean
  /** Whether the text waits during the quiet hours of the account. */
  readonly keepsQuiet: boolean
  /** The text of a program answers the person, or the received text with this id. */
  readonly answers?: true | string
  /** Recipients without proof of consent get no text. */
  readonly requiresConsent?: boolean
  /** The consent that the first send of a text required, if the text is sent again. */
  readonly scope?: ConsentScope | undefined
  readonly origin?: SendOrigin
}

/**
 * Data that the SMSGate, Twilio or Kannel API keeps about a send in the table sms_origins. `sealed`: see
 * SEALED. `consent`: see KEPT_SCOPE. `trial`: see TRIAL.
 */
export interface SendOrigin {
  readonly api:
    | 'smsgate'
    | 'twilio'
    | 'kannel'
    | 'sealed'
    | 'consent'
    | 'files'
    | 'answers'
    | 'trial'
  /** The id for clients of `api`; '' for the id of the message or batch. */
  readonly id: string
  /** Data of `api`. `callback`: where to send a message's statuses. */
  readonly data: Readonly<Record<string, unknown>> & {
    readonly callback?: { readonly url: string; readonly api_key: string }
  }
}

/** Options of a text that any SIM sends immediately. */
export const PLAIN_OPTIONS: Omit<SendOptions, 'origin'> = {
  scheduledAt: '',
  expiresAt: '',
  ...readStoredOptions({}),
  clientRef: '',
  isBulk: false,
  keepsQuiet: false,
}

/**
 * A text to numbers, by `options` besides those of a plain text. `device`, `line`: the id of the one that
 * sends; '' for any.
 */
export const makePlainSend = (
  to: string | readonly string[],
  text: string | PlainContent,
  options: Partial<SendOptions> = {},
  device = '',
  line = '',
): SendBody => ({
  recipients: [to].flat(),
  groupIds: [],
  deviceId: device,
  line: { id: line, number: '' },
  content: typeof text === 'string' ? { body: text } : text,
  options: { ...PLAIN_OPTIONS, ...options },
})
