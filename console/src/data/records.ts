import type { RecordModel } from 'pocketbase'
import type { Day } from './hours.ts'

// What the built-in collections hold, as the API answers it. Dates are PocketBase's texts, '' for none.

export interface Owned extends RecordModel {
  readonly user: string
  readonly created: string
}

export type MessageState = 'pending' | 'assigned' | 'sending' | 'sent' | 'delivered' | 'failed' | 'received'

export interface Message extends Owned {
  readonly status: MessageState
  readonly to: string
  readonly from: string
  readonly body: string
  readonly message_type: 'outgoing' | 'incoming'
  /** The id of a device, or ''. */
  readonly device: string
  readonly batch_id: string
  readonly segments: number
  readonly priority: number
  readonly sim: number
  readonly scheduled_at: string
  readonly expires_at: string
  readonly guarantee: '' | 'at_most_once' | 'at_least_once'
  readonly client_ref: string
  readonly sent_at: string
  readonly delivered_at: string
  readonly error_message: string
  /** The id of the line that it leaves or came in by, or ''. */
  readonly line: string
  /** Why it is not given to a line though it is due. */
  readonly waiting_for?: '' | 'room' | 'quiet_hours'
  /** The id of a sender; '' for incoming and old ones. */
  readonly sent_by: string
  /** Names of the files that came with it. */
  readonly attachments?: readonly string[]
  readonly updated: string
  readonly expand?: { readonly device?: Device; readonly user?: User; readonly sent_by?: Sender }
}

export interface MessageEvent extends Owned {
  readonly message: string
  readonly status: MessageState
  readonly device: string
  readonly attempt: number
  readonly detail: string
  readonly expand?: { readonly device?: Device }
}

export interface Conversation extends Owned {
  /** The other side's number. */
  readonly number: string
  /** The contact's name, or ''. */
  readonly name: string
  readonly last_text: string
  readonly last_at: string
  readonly last_type: '' | 'outgoing' | 'incoming'
  readonly last_message: string
  /** The device that last received a text, or ''. */
  readonly device: string
  readonly unread: number
  readonly unanswered: boolean
  readonly archived: boolean
  /** The id of a sender, or ''. */
  readonly assignee: string
  /** The id of the sender of the last outgoing text, or ''. */
  readonly last_sender: string
  readonly blocked: boolean
  /** '' for no reminder. */
  readonly follow_up_at: string
  readonly updated: string
}

/** A person or thing that sends for an account. */
export interface Sender extends RecordModel {
  readonly kind: 'owner' | 'member' | 'key' | 'campaign' | 'answer' | 'hook'
  readonly name: string
}

export interface Contact extends Owned {
  readonly name: string
  readonly phone: string
  /** Ids of groups. */
  readonly groups: readonly string[]
  readonly opted_out: boolean
  /** '' for that of the number's country. An installation may have left the field out. */
  readonly time_zone?: string
  readonly data: unknown
  readonly updated: string
  readonly expand?: { readonly groups?: readonly ContactGroup[] }
}

/** A contact's own fields that are texts, numbers or yes and no: what templates can use. */
export function fieldsOf({ data }: Pick<Contact, 'data'>): [name: string, value: string][] {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return []
  return Object.entries(data)
    .filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
    .map(([name, value]) => [name, String(value)])
}

/** The value of a contact's own field: of that very name, else of one in another case, as on the server. */
export function fieldNamed(contact: Pick<Contact, 'data'>, name: string): string | undefined {
  const fields = fieldsOf(contact)
  const lower = name.toLowerCase()
  const field =
    fields.find(([key]) => key === name) ?? fields.findLast(([key]) => key.toLowerCase() === lower)
  return field?.[1]
}

export interface ContactGroup extends Owned {
  readonly name: string
  readonly updated: string
}

export interface Template extends Owned {
  readonly name: string
  readonly body: string
  readonly updated: string
}

/** An automatic answer to incoming texts. */
export interface AutoAnswer extends Owned {
  readonly name: string
  readonly enabled: boolean
  /** Which texts it answers. */
  readonly match: 'any' | 'words' | 'first_word' | 'contains'
  /** Words with commas between, or a regular expression; '' for any text. */
  readonly value: string
  /** Ids of lines; none: all. */
  readonly lines: readonly string[]
  /** In the user's time zone; '' for always. */
  readonly hours_from: string
  readonly hours_to: string
  readonly days: readonly Day[]
  /** The text, or '' and the id of a template. */
  readonly body: string
  readonly template: string
  /** Hours before a number gets this answer again; 0: no pause. */
  readonly pause_hours: number
  readonly expand?: { readonly template?: Template }
}

export type CampaignState = 'scheduled' | 'sending' | 'paused' | 'canceled' | 'done' | 'failed'

export interface Campaign extends Owned {
  readonly name: string
  /** The text, or that of the template. */
  readonly body: string
  /** The id of a template, or ''. */
  readonly template: string
  /** null for a plain text. */
  readonly variables: Readonly<Record<string, string>> | null
  /** The id of a device, or '' for any. */
  readonly device: string
  /** The id of a line, or '' for any. */
  readonly line: string
  readonly priority: number
  readonly guarantee: '' | 'at_most_once' | 'at_least_once'
  /** They wait during the quiet hours of the account. */
  readonly quiet_hours: boolean
  /** Ids of groups. */
  readonly groups: readonly string[]
  readonly recipients: readonly string[]
  readonly scheduled_at: string
  readonly expires_at: string
  readonly status: CampaignState
  readonly batch_id: string
  /** The campaign's batch, and the batches of its resends. */
  readonly batches: readonly string[]
  readonly revision: number
  readonly recipients_count: number
  /** Segments of all its texts. */
  readonly segments: number
  readonly error: string
  readonly updated: string
  readonly expand?: { readonly groups?: readonly ContactGroup[]; readonly line?: Line }
}

export interface Device extends Owned {
  readonly name: string
  readonly phone: string
  readonly platform: '' | 'android' | 'modem' | 'simulator' | 'other'
  readonly enabled: boolean
  readonly last_seen: string
  /** 0: none. */
  readonly daily_limit: number
  /** 0: none. */
  readonly per_minute: number
  readonly updated: string
  readonly expand?: { readonly user?: User }
}

/** A SIM of a device. All limits: 0 for none. */
export interface Line extends Owned {
  readonly device: string
  /** From 1; 0: the device chooses the SIM. */
  readonly slot: number
  readonly number: string
  readonly carrier: string
  readonly label: string
  readonly enabled: boolean
  /** False while the device does not report the SIM. */
  readonly present: boolean
  /** '' while its texts go out. */
  readonly failing_since: string
  readonly per_minute: number
  readonly daily_limit: number
  readonly monthly_limit: number
  /** Different numbers in a calendar month. */
  readonly monthly_recipients: number
  /** Beginnings of numbers that it is for: `+49,+43`. */
  readonly prefixes: string
  readonly expand?: { readonly device?: Device }
}

export interface ApiKey extends Owned {
  readonly name: string
  readonly prefix: string
  readonly expires_at: string
  readonly last_used_at: string
  /** The whole key: in the answer to the create, and never again. */
  readonly key?: string
  /** The account SID for Twilio's libraries, if the key was made for them. */
  readonly account_sid?: string
  readonly auth_token?: string
  readonly key_sid?: string
  /** What it may do. Empty: send, and cancel and view what was sent. */
  readonly scopes?: readonly string[]
  readonly twilio?: boolean
  readonly expand?: { readonly user?: User }
}

export const WEBHOOK_EVENTS = [
  'message.sent',
  'message.delivered',
  'message.failed',
  'message.received',
] as const

export interface Webhook extends Owned {
  readonly url: string
  readonly events: readonly (typeof WEBHOOK_EVENTS)[number][]
  readonly enabled: boolean
  /** Ids of the lines that it is limited to; none: all. */
  readonly lines?: readonly string[]
  /** Numbers of the other side that it is limited to, as `+4930*,DHL`; '' for all. */
  readonly numbers?: string
  readonly updated: string
  readonly expand?: { readonly user?: User }
}

export interface Delivery extends Owned {
  readonly webhook: string
  readonly event_id: string
  readonly event: string
  readonly message: string
  readonly status: 'pending' | 'delivered' | 'failed'
  readonly attempts: number
  readonly response_status: number
  readonly response_body: string
  readonly latency_ms: number
  readonly next_attempt_at: string
}

export interface User extends RecordModel {
  readonly email: string
  readonly name: string
  readonly verified: boolean
  /** Messages a month; 0: the server's. */
  readonly monthly_quota: number
  /** True for a user without an account, who only acts for others. */
  readonly member_only: boolean
  readonly created: string
  /** Absent until a first setting is saved. */
  readonly expand?: { readonly user_settings_via_user?: UserSettings }
}

/** At most one record for each user. */
export interface UserSettings extends Owned {
  readonly disabled: boolean
  /** ISO 3166 alpha-2 of numbers that are typed without a country, or ''. */
  readonly country: string
  /** IANA name, or ''. */
  readonly time_zone: string
  /** Local times as `22:00`, '' for no quiet hours. */
  readonly quiet_from: string
  readonly quiet_to: string
  /** The days on which they begin; none: all. */
  readonly quiet_days: readonly Day[]
  /** Until a mail about a text without an answer; 0: no mail. */
  readonly reply_mail_minutes: number
  /** Who is assigned an unassigned conversation. */
  readonly assign: '' | 'answerer' | 'turns'
  /** Which texts notify the owner. */
  readonly notify: '' | 'all' | 'mine' | 'none'
}
