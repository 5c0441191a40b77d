import type { RecordModel } from 'pocketbase'
import type { SelectFieldName, SelectValue } from '#portable/select-values.ts'
import type * as collections from './collections.ts'
import type { Reminder } from './reminder.ts'
import type { Repeat } from './repeat.ts'

// Types of records in the API's answers. Dates are PocketBase's strings and relations are ids; '' if unset.

/** One of the values of a select field; any text for other fields. */
type One<F> = F extends { values: readonly (infer V)[] }
  ? V
  : F extends { valuesOf: infer K extends SelectFieldName }
    ? SelectValue<K>
    : string

type Choice<F> = F extends { many: true }
  ? readonly One<F>[]
  : F extends { required: true }
    ? One<F>
    : One<F> | ''

type ValueOf<F extends { type: string }> = F['type'] extends 'number'
  ? number
  : F['type'] extends 'bool'
    ? boolean
    : F['type'] extends 'json'
      ? unknown
      : Choice<F>

/** The type of a built-in collection's records, from the fields of its schema. */
export type RecordOf<C extends keyof typeof collections> = RecordModel & {
  readonly [K in keyof (typeof collections)[C]]: (typeof collections)[C][K] extends { type: string }
    ? ValueOf<(typeof collections)[C][K]>
    : never
}

export interface Message extends RecordOf<'sms_messages'> {
  readonly expand?: { readonly device?: Device; readonly user?: User; readonly sent_by?: Sender }
}
/** The number of the other person. */
export const findOtherNumber = ({
  message_type,
  from,
  to,
}: Pick<Message, 'message_type' | 'from' | 'to'>): string =>
  message_type === 'incoming' ? from : to

export type MessageState = Message['status']

export interface MessageEvent extends RecordOf<'sms_events'> {
  readonly expand?: { readonly device?: Device }
}

/** `number` is the other person's. `device` is the device that last received a text from that number. */
export type Conversation = RecordOf<'conversations'>

/** A person, API key, campaign, automatic answer or hook that sends messages for an account. */
export type Sender = RecordOf<'senders'>

export interface Contact extends RecordOf<'contacts'> {
  readonly expand?: { readonly groups?: readonly ContactGroup[] }
}

/** A field that the account has defined for its contacts. */
export interface ContactField extends RecordOf<'contact_fields'> {
  readonly choices: readonly string[] | null
  readonly former: readonly string[] | null
}

export type ContactGroup = RecordOf<'contact_groups'>
export type Template = RecordOf<'sms_templates'>

export interface Consent extends RecordOf<'consents'> {
  readonly expand?: { readonly group?: ContactGroup; readonly entered_by?: Sender }
}
export interface ConsentState extends RecordOf<'consent_states'> {
  readonly expand?: { readonly group?: ContactGroup; readonly entry?: Consent }
}

/** An automatic answer to incoming texts. Its hours are in the time zone of its user. */
export interface AutoAnswer extends RecordOf<'auto_answers'> {
  readonly expand?: { readonly template?: Template; readonly label?: RecordOf<'labels'> }
}

export interface Campaign extends RecordOf<'campaigns'> {
  /** Values for the variables in the text; null if the text is sent as it is. */
  readonly variables: Readonly<Record<string, string>> | null
  readonly recipients: readonly string[]
  /** null for a campaign that does not repeat. */
  readonly repeat: Repeat | null
  /** null for a campaign that is no reminder. */
  readonly reminder: Reminder | null
  /** The ids of the campaign's batch of messages, and of the batches in which failed ones were resent. */
  readonly batches: readonly string[]
  readonly expand?: { readonly groups?: readonly ContactGroup[]; readonly line?: Line }
}
export type CampaignState = Campaign['status']

/** A row of a campaign's list, or an occurrence of a reminder. */
export interface CampaignRecipient extends RecordOf<'campaign_recipients'> {
  readonly values: Readonly<Record<string, unknown>> | null
  readonly expand?: { readonly message?: Message }
}

export interface Device extends RecordOf<'devices'> {
  readonly expand?: { readonly user?: User }
}

/** A SIM of a device. If `slot` is 0, the device chooses one of its SIMs. A limit of 0 means no limit. */
export interface Line extends RecordOf<'lines'> {
  readonly expand?: { readonly device?: Device }
}

export interface ApiKey extends RecordOf<'api_keys'> {
  /** The whole key. Only the answer that creates or rotates the key has it. */
  readonly key?: string
  /** The account SID for Twilio's libraries, if the key was made for them. */
  readonly account_sid?: string
  readonly auth_token?: string
  readonly key_sid?: string
  readonly expand?: { readonly user?: User }
}

export interface Webhook extends RecordOf<'webhooks'> {
  readonly expand?: { readonly user?: User }
}

export interface VerifyService extends RecordOf<'verify_services'> {
  /** The texts in which a code is sent, by language. Each contains `{{code}}`. */
  readonly templates: Readonly<Record<string, string>> | null
}

export type Verification = RecordOf<'verifications'>
export type Delivery = RecordOf<'webhook_deliveries'>

/** `member_only`: has no account, only acts for other accounts. `monthly_quota` 0: the server's default. */
export interface User extends RecordOf<'users'> {
  /** Absent until a first setting is saved. */
  readonly expand?: { readonly user_settings_via_user?: UserSettings }
}

/** At most one record for each user. */
export type UserSettings = RecordOf<'user_settings'>

/** A user who may act for an account. The user's name is in the record with the same id in `senders`. */
export type Member = RecordOf<'members'>
/** A saved view of the inbox. */
export type InboxView = RecordOf<'inbox_views'>
export type Note = RecordOf<'conversation_notes'>
/** An invitation by mail, or by a link that anyone may use (`email` ''). */
export type Invitation = RecordOf<'member_invitations'>

export type MemberRole = Member['role']
export type Notify = Member['notify']
