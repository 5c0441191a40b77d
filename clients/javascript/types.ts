// Written by `npm run schema`.


export interface SmsMessage {
/** 15 letters and digits; the server creates it if it is absent. */
readonly "id": string
/**
 * The state of the message: `pending` (scheduled), `assigned` (to a device), `sending` (the device
 * has it), `sent`, `delivered`, `failed`, or `received`.
 */
readonly "status": "pending" | "assigned" | "sending" | "sent" | "delivered" | "failed" | "received"
/** The recipient's number; of an incoming message, the device's. */
readonly "to": string
/** The sender's number; of an outgoing message, empty. */
readonly "from": string
/** The text. */
readonly "body": string
/** `outgoing` or `incoming`. */
readonly "message_type": "outgoing" | "incoming"
/** The device that sends or received it. */
readonly "device": string
/** The same for all messages of a send; empty if the send had one message. */
readonly "batch_id": string
/** The segments of the text; 0 for an MMS that was sent. */
readonly "segments": number
/** Higher is sent first. */
readonly "priority": number
/** Slot of the SIM; 0: any. */
readonly "sim": number
/** The message is not sent before this time. */
readonly "scheduled_at": string
/** The message is not sent after this time. */
readonly "expires_at": string
/** The outcome if its device goes silent after it claimed the message. */
readonly "guarantee": "at_most_once" | "at_least_once" | ""
/** The sender's own reference. */
readonly "client_ref": string
/** When the device sent it. */
readonly "sent_at": string
/** When it reached the recipient; of an incoming message, the device. */
readonly "delivered_at": string
/** Why it failed. */
readonly "error_message": string
/** The line that sends or received it; empty until a line is chosen. */
readonly "line": string
/**
 * Why it waits: a due message that is still `pending`, for `room` on a line or the end of
 * `quiet_hours`; a new one that is `pending` until its sender can no longer `undo` it; a message
 * that is `sending`, for its `phone`, which holds it outside its work hours.
 */
readonly "waiting_for": "room" | "quiet_hours" | "phone" | "undo" | ""
/**
 * Who sent it: a person, an API key, a campaign or an automatic answer. Empty for incoming
 * messages.
 */
readonly "sent_by": string
/** Names of the files of an MMS. They are protected: a link needs a token. */
readonly "attachments": readonly (string)[]
/** The subject of an MMS. It is also the first line of the body of a received one. */
readonly "subject": string
/** The account of the message. */
readonly "user": string
/** When the record was made. */
readonly "created": string
/** When the record last changed. */
readonly "updated": string
readonly "collectionId": "sms_messages"
readonly "collectionName": "sms_messages"
/**
 * Records that relations lead to, if `expand` asked for them and they may be seen; also those that
 * lead here, under `collection_via_field`.
 */
readonly "expand"?: {
readonly "device"?: Device
readonly "line"?: Line
readonly "sent_by"?: Sender
readonly "user"?: User
}
}

export interface Send {
/**
 * Phone numbers in E.164. Each gets one message. May be empty when `group_ids` are given. After
 * groups and duplicates, at most 1,000 (the server may set another limit).
 */
readonly "recipients"?: readonly (string)[] | null
/** Contact groups whose members are added, without those who have opted out. */
readonly "group_ids"?: readonly (string)[] | null
/** The only device that may send. Default: the available lines take turns. */
readonly "device_id"?: string | null
/** A record of `lines`: this SIM sends, and no other. */
readonly "line_id"?: string | null
/**
 * The number of one of your lines in E.164, or its name as a sender: this line sends, and no
 * other.
 */
readonly "from"?: string | null
/**
 * Not before this instant. One that is past means now. Without an offset, as `2026-12-01
 * 09:00:00`, it is a time of UTC; with one: `2026-12-01T09:00:00+01:00`.
 */
readonly "scheduled_at"?: string | null
/** The end: a message that no device has claimed by then ends as `failed`. Excludes `ttl`. */
readonly "expires_at"?: string | null
/** The same as a number of seconds, counted from when the message is due. */
readonly "ttl"?: number | null
/** Higher is sent first. Default: 0. */
readonly "priority"?: number | null
/** Slot of the SIM that sends, from 1. 0: any line. */
readonly "sim"?: number | null
/**
 * If the device goes silent after it claimed the message: `at_most_once` (default) fails the
 * message, `at_least_once` hands it to a device again.
 */
readonly "guarantee"?: "at_most_once" | "at_least_once" | null
/**
 * A reference of yours, unique among your messages: a second send with it, of the same text to the
 * same number, answers with the first message. For one recipient. Must not begin with `retry:`,
 * `auto:` or `phone:`, as the references of retries, automatic answers and texts typed on a phone
 * do.
 */
readonly "client_ref"?: string | null
/**
 * True for one text of many, as of a list: it does not change the conversation with its number. A
 * send to several recipients never does.
 */
readonly "bulk"?: boolean | null
/**
 * True: waits during the quiet hours of `user_settings`, by the recipient's time. An answer to a
 * conversation that waits for one never does.
 */
readonly "quiet_hours"?: boolean | null
/**
 * Of an API key: true, or the id of the received text, for a text that answers the person. The
 * conversation then waits for no answer any more. Other texts of programs leave it waiting; texts
 * of persons always answer.
 */
readonly "answers"?: boolean | string | null
/**
 * True: a message to a person without proof of consent fails. Always so if the template or a group
 * requires it.
 */
readonly "requires_consent"?: boolean | null
/**
 * True: a text with a gap is refused, as one whose variable has no value at all: a variable is
 * empty and has no default. Variables of `body` are then filled in also without `variables`.
 */
readonly "requires_values"?: boolean | null
/**
 * For so many seconds no device gets the text, and a cancel takes it back. Meanwhile it is
 * `pending` with `waiting_for` `undo`, and not a scheduled text. Excludes a later `scheduled_at`.
 */
readonly "undo_seconds"?: number | null
/**
 * True: typographic quotes, dashes, spaces and other signs become those of the GSM alphabet, as in
 * Twilio’s smart encoding, if the text then takes fewer short messages. The message stores the
 * text that is sent.
 */
readonly "smart_encoding"?: boolean | null
/**
 * Files of an MMS, each an http or https address that the server fetches, or `ID/NAME`: a file of
 * one of your messages, templates, campaigns or automatic answers. In a multipart body, files with
 * this name are added. Pictures are made smaller if need be.
 */
readonly "attachments"?: readonly (string)[] | null
/** The subject of an MMS. */
readonly "subject"?: string | null
/**
 * `or_link`: if no line that may send this can send MMS, a text leaves with a link to each file.
 * The links work for 30 days. `only` (default): the request is then refused.
 */
readonly "mms"?: "only" | "or_link" | null
/** The text, in Unicode characters. Required without `attachments`. */
readonly "body"?: string
/**
 * If present, even as `{}`: the `{{variables}}` of `body` are filled in like those of a template.
 * If absent, `body` is sent unchanged.
 */
readonly "variables"?: Readonly<Record<string, string | number | boolean>> | null
}

export interface TemplateSend {
/**
 * Phone numbers in E.164. Each gets one message. May be empty when `group_ids` are given. After
 * groups and duplicates, at most 1,000 (the server may set another limit).
 */
readonly "recipients"?: readonly (string)[] | null
/** Contact groups whose members are added, without those who have opted out. */
readonly "group_ids"?: readonly (string)[] | null
/** The only device that may send. Default: the available lines take turns. */
readonly "device_id"?: string | null
/** A record of `lines`: this SIM sends, and no other. */
readonly "line_id"?: string | null
/**
 * The number of one of your lines in E.164, or its name as a sender: this line sends, and no
 * other.
 */
readonly "from"?: string | null
/**
 * Not before this instant. One that is past means now. Without an offset, as `2026-12-01
 * 09:00:00`, it is a time of UTC; with one: `2026-12-01T09:00:00+01:00`.
 */
readonly "scheduled_at"?: string | null
/** The end: a message that no device has claimed by then ends as `failed`. Excludes `ttl`. */
readonly "expires_at"?: string | null
/** The same as a number of seconds, counted from when the message is due. */
readonly "ttl"?: number | null
/** Higher is sent first. Default: 0. */
readonly "priority"?: number | null
/** Slot of the SIM that sends, from 1. 0: any line. */
readonly "sim"?: number | null
/**
 * If the device goes silent after it claimed the message: `at_most_once` (default) fails the
 * message, `at_least_once` hands it to a device again.
 */
readonly "guarantee"?: "at_most_once" | "at_least_once" | null
/**
 * A reference of yours, unique among your messages: a second send with it, of the same text to the
 * same number, answers with the first message. For one recipient. Must not begin with `retry:`,
 * `auto:` or `phone:`, as the references of retries, automatic answers and texts typed on a phone
 * do.
 */
readonly "client_ref"?: string | null
/**
 * True for one text of many, as of a list: it does not change the conversation with its number. A
 * send to several recipients never does.
 */
readonly "bulk"?: boolean | null
/**
 * True: waits during the quiet hours of `user_settings`, by the recipient's time. An answer to a
 * conversation that waits for one never does.
 */
readonly "quiet_hours"?: boolean | null
/**
 * Of an API key: true, or the id of the received text, for a text that answers the person. The
 * conversation then waits for no answer any more. Other texts of programs leave it waiting; texts
 * of persons always answer.
 */
readonly "answers"?: boolean | string | null
/**
 * True: a message to a person without proof of consent fails. Always so if the template or a group
 * requires it.
 */
readonly "requires_consent"?: boolean | null
/**
 * True: a text with a gap is refused, as one whose variable has no value at all: a variable is
 * empty and has no default. Variables of `body` are then filled in also without `variables`.
 */
readonly "requires_values"?: boolean | null
/**
 * For so many seconds no device gets the text, and a cancel takes it back. Meanwhile it is
 * `pending` with `waiting_for` `undo`, and not a scheduled text. Excludes a later `scheduled_at`.
 */
readonly "undo_seconds"?: number | null
/**
 * True: typographic quotes, dashes, spaces and other signs become those of the GSM alphabet, as in
 * Twilio’s smart encoding, if the text then takes fewer short messages. The message stores the
 * text that is sent.
 */
readonly "smart_encoding"?: boolean | null
/**
 * Files of an MMS besides those of the template, each an http or https address that the server
 * fetches, or `ID/NAME`: a file of one of your messages, templates, campaigns or automatic
 * answers. In a multipart body, files with this name are added. Pictures are made smaller if need
 * be.
 */
readonly "attachments"?: readonly (string)[] | null
/** The subject of an MMS. */
readonly "subject"?: string | null
/**
 * `or_link`: if no line that may send this can send MMS, a text leaves with a link to each file.
 * The links work for 30 days. `only`: the request is then refused. Default: `or_link` if only the
 * template has files, else `only`.
 */
readonly "mms"?: "only" | "or_link" | null
/** A record of `sms_templates`. */
readonly "template_id": string
/**
 * Values for the `{{variables}}` of the template, the same for all recipients. An absent value
 * comes from the field of this name in the contact's `data`. `name` is for people without a
 * contact, and for contacts without a name; `phone` and `stop_link` cannot be given.
 * `{{variable|text}}` has a text for an empty or missing value.
 */
readonly "variables"?: Readonly<Record<string, string | number | boolean>> | null
}

export interface Accepted {
/** Names all messages of the send; empty when it is one. */
readonly "batch_id": string
/** Records of `sms_messages`, one for each recipient, in their order. */
readonly "message_ids": readonly (string)[]
readonly "recipients_count": number
readonly "status": "accepted"
/** When the messages are due, if that is later: in UTC, as a time without a zone is read. */
readonly "scheduled_at"?: string
}

export interface BatchStatus {
readonly "batch_id": string
readonly "recipients_count": number
/** Messages by status. */
readonly "counts": Readonly<Record<string, number>>
}

export interface PreviewBody {
/**
 * Phone numbers in E.164. Each gets one message. May be empty when `group_ids` are given. After
 * groups and duplicates, at most 1,000 (the server may set another limit).
 */
readonly "recipients"?: readonly (string)[] | null
/** Contact groups whose members are added, without those who have opted out. */
readonly "group_ids"?: readonly (string)[] | null
/** The only device that may send. Default: the available lines take turns. */
readonly "device_id"?: string | null
/** A record of `lines`: this SIM sends, and no other. */
readonly "line_id"?: string | null
/**
 * The number of one of your lines in E.164, or its name as a sender: this line sends, and no
 * other.
 */
readonly "from"?: string | null
/**
 * Not before this instant. One that is past means now. Without an offset, as `2026-12-01
 * 09:00:00`, it is a time of UTC; with one: `2026-12-01T09:00:00+01:00`.
 */
readonly "scheduled_at"?: string | null
/** The end: a message that no device has claimed by then ends as `failed`. Excludes `ttl`. */
readonly "expires_at"?: string | null
/** The same as a number of seconds, counted from when the message is due. */
readonly "ttl"?: number | null
/** Higher is sent first. Default: 0. */
readonly "priority"?: number | null
/** Slot of the SIM that sends, from 1. 0: any line. */
readonly "sim"?: number | null
/**
 * If the device goes silent after it claimed the message: `at_most_once` (default) fails the
 * message, `at_least_once` hands it to a device again.
 */
readonly "guarantee"?: "at_most_once" | "at_least_once" | null
/**
 * A reference of yours, unique among your messages: a second send with it, of the same text to the
 * same number, answers with the first message. For one recipient. Must not begin with `retry:`,
 * `auto:` or `phone:`, as the references of retries, automatic answers and texts typed on a phone
 * do.
 */
readonly "client_ref"?: string | null
/**
 * True for one text of many, as of a list: it does not change the conversation with its number. A
 * send to several recipients never does.
 */
readonly "bulk"?: boolean | null
/**
 * True: waits during the quiet hours of `user_settings`, by the recipient's time. An answer to a
 * conversation that waits for one never does.
 */
readonly "quiet_hours"?: boolean | null
/**
 * Of an API key: true, or the id of the received text, for a text that answers the person. The
 * conversation then waits for no answer any more. Other texts of programs leave it waiting; texts
 * of persons always answer.
 */
readonly "answers"?: boolean | string | null
/**
 * True: a message to a person without proof of consent fails. Always so if the template or a group
 * requires it.
 */
readonly "requires_consent"?: boolean | null
/**
 * True: a text with a gap is refused, as one whose variable has no value at all: a variable is
 * empty and has no default. Variables of `body` are then filled in also without `variables`.
 */
readonly "requires_values"?: boolean | null
/**
 * For so many seconds no device gets the text, and a cancel takes it back. Meanwhile it is
 * `pending` with `waiting_for` `undo`, and not a scheduled text. Excludes a later `scheduled_at`.
 */
readonly "undo_seconds"?: number | null
/**
 * True: typographic quotes, dashes, spaces and other signs become those of the GSM alphabet, as in
 * Twilio’s smart encoding, if the text then takes fewer short messages. The message stores the
 * text that is sent.
 */
readonly "smart_encoding"?: boolean | null
/**
 * Files of an MMS, each an http or https address that the server fetches, or `ID/NAME`: a file of
 * one of your messages, templates, campaigns or automatic answers. In a multipart body, files with
 * this name are added. Pictures are made smaller if need be.
 */
readonly "attachments"?: readonly (string)[] | null
/** The subject of an MMS. */
readonly "subject"?: string | null
/**
 * `or_link`: if no line that may send this can send MMS, a text leaves with a link to each file.
 * The links work for 30 days. `only` (default): the request is then refused.
 */
readonly "mms"?: "only" | "or_link" | null
/** The text, in Unicode characters. Required without `attachments`. */
readonly "body"?: string
/**
 * If present, even as `{}`: the `{{variables}}` of `body` are filled in like those of a template.
 * If absent, `body` is sent unchanged.
 */
readonly "variables"?: Readonly<Record<string, string | number | boolean>> | null
/**
 * True for an unfinished text: variables without a value stay in the texts as `{{variable}}` and
 * are listed in `missing`. A send is refused instead.
 */
readonly "draft"?: boolean | null
/** A record of `sms_templates`, instead of `body`. */
readonly "template_id"?: string
}

export interface Preview {
readonly "body": string
readonly "encoding": "GSM-7" | "UCS-2"
/** Septets (GSM-7) or UTF-16 units (UCS-2) of the text. */
readonly "units": number
/** Its segments. */
readonly "segments": number
readonly "recipients_count": number
/** Segments of all texts that would be sent. */
readonly "total_segments": number
/** Recipients who have opted out: their messages would fail at once and cost nothing. */
readonly "opted_out": number
/**
 * Recipients without proof of the consent that the template or a group requires: their messages
 * would fail at once and cost nothing.
 */
readonly "without_consent": number
/**
 * One for each recipient, in the order of the send. Empty for an API key without `messages:list`
 * if the text has variables or goes to groups: such a key sees the text for an unknown person
 * instead of the first one.
 */
readonly "items": readonly (PreviewedText)[]
/**
 * When the last text can leave by the limits of the lines, after those that wait already; empty
 * without a line.
 */
readonly "last_leaves_at": string
/**
 * What the texts would cost if they left now. Null if no line of the account has prices, and for
 * an API key without `devices:list`.
 */
readonly "estimate": CostEstimate | null
/**
 * The variables without a default whose value is empty for one recipient at least, or in a draft
 * absent. Always there for a draft, else if there is such a variable.
 */
readonly "missing"?: readonly (string)[]
}

export interface SentTexts {
readonly "items": readonly (SmsMessage)[]
readonly "page": number
readonly "perPage": number
readonly "totalItems": number
readonly "totalPages": number
}

export interface Canceled {
readonly "id": string
readonly "status": "failed"
readonly "error_message": "Canceled"
}

export interface CanceledBatch {
readonly "batch_id": string
readonly "recipients_count": number
/** Messages by status. */
readonly "counts": Readonly<Record<string, number>>
/** Messages that this request has canceled. */
readonly "canceled": number
}

export interface AccountUsage {
/** The calendar month, in UTC. */
readonly "period": string
/** Messages accepted in it; canceled ones came back. */
readonly "used": number
/** Messages that may be accepted; 0: without limit. */
readonly "quota": number
/** null without a limit. */
readonly "remaining": number | null
/** When the next month begins. */
readonly "resets_at": string
readonly "files": {
/** The size of its files; equal ones count once, and each as at least 4,096. */
readonly "bytes": number
/** Their maximum size; 0: no limit. */
readonly "limit": number
}
}

export interface VerificationStart {
/** A phone number. Without a calling code, it is one of the account’s `country`. */
readonly "to": string
readonly "channel"?: "sms" | null
/**
 * A record of `verify_services`. Default: the account’s oldest service; services that API keys
 * made come last.
 */
readonly "service"?: string | null
/** A record of `sms_templates` with `{{code}}`, instead of the text of the service. */
readonly "template"?: string | null
/** Digits of the code. Default: that of the service. */
readonly "length"?: number | null
/** Seconds until the code expires. Default: that of the service. */
readonly "ttl"?: number | null
/** The language of the text. */
readonly "locale"?: string | null
/**
 * The domain of the page that reads the code by WebOTP: the last line names both. Excludes
 * `app_hash`.
 */
readonly "origin"?: string | null
/** The hash of the Android app that reads the code by Play's SMS Retriever: the last line. */
readonly "app_hash"?: string | null
/**
 * The address of the person who asked for the code: `code_max_per_network` limits the codes of its
 * network.
 */
readonly "ip"?: string | null
}

export interface VerificationCheck {
/** A verification. Excludes `to`. */
readonly "id"?: string | null
/** The last verification of this number. Excludes `id`. */
readonly "to"?: string | null
/**
 * A record of `verify_services`. Default: the account’s oldest service; services that API keys
 * made come last.
 */
readonly "service"?: string | null
/** As the person typed or pasted it: blanks, hyphens and words around it do not matter. */
readonly "code": string
}

export interface VerificationCancel {
/** A verification. Excludes `to`. */
readonly "id"?: string | null
/** The last verification of this number. Excludes `id`. */
readonly "to"?: string | null
/**
 * A record of `verify_services`. Default: the account’s oldest service; services that API keys
 * made come last.
 */
readonly "service"?: string | null
}

export interface Verification {
/** A record of `verifications`; empty for one that does not exist. */
readonly "id": string
readonly "to": string
/** A record of `verify_services`. */
readonly "service": string
readonly "channel": "sms"
readonly "status": "pending" | "approved" | "expired" | "canceled" | "max_attempts_reached"
/** Checks so far. After 5 it ends. */
readonly "attempts": number
readonly "expires_at": string
readonly "created": string
readonly "updated": string
}

export interface Device {
/** 15 letters and digits; the server creates it if it is absent. */
readonly "id": string
/** Unused: devices have no address. */
readonly "email"?: string
/** The account of the device. */
readonly "user": string
/** The name that its owner gave it. */
readonly "name": string
/** Its own number, in E.164. */
readonly "phone": string
/**
 * The kind of device, as it reported when it joined; only superusers change it. A `simulator`
 * sends nothing over the air: if the user has another device, it gets only messages that name it
 * or its line.
 */
readonly "platform": "android" | "modem" | "simulator" | "carrier" | "other" | ""
/** Whether it may send. A disabled device gets no messages. */
readonly "enabled": boolean
/**
 * When it last asked the server for anything, by the clock of the database. Only the server sets
 * it.
 */
readonly "last_seen": string
/** Messages it may send in 24 hours; 0: without limit. */
readonly "daily_limit": number
/** Messages it may send in a minute; 0: without limit. */
readonly "per_minute": number
/** Its SIM cards, as it names them. */
readonly "sims": unknown
/** Where the device may be used, as in `api_keys`. Empty: everywhere. */
readonly "addresses": string
/** The subscription by which it is woken. Only superusers see it. */
readonly "push"?: unknown
/** When the record was made. */
readonly "created": string
/** When the record last changed. */
readonly "updated": string
/** Whether all who see the record see its email. */
readonly "emailVisibility": boolean
/** Whether the address was proven to be the record's own. */
readonly "verified": boolean
readonly "collectionId": "devices"
readonly "collectionName": "devices"
/**
 * Records that relations lead to, if `expand` asked for them and they may be seen; also those that
 * lead here, under `collection_via_field`.
 */
readonly "expand"?: {
readonly "user"?: User
}
}

export interface Line {
/** 15 letters and digits; the server creates it if it is absent. */
readonly "id": string
/** The account of the line. */
readonly "user": string
/** The device that the SIM is in. */
readonly "device": string
/** The slot of the SIM, from 1. 0: the device chooses the SIM. */
readonly "slot": number
/** The number of the SIM in E.164, or a carrier's name or short code for a sender. */
readonly "number": string
/** The network, as the device reports it. */
readonly "carrier": string
/** ISO 3166-1 code, as the device reports it. */
readonly "country": string
/** A name for people. */
readonly "label": string
/** False: it sends nothing. */
readonly "enabled": boolean
/** False while the device does not report the SIM. */
readonly "present": boolean
/** Maximum messages in any minute; 0: no limit. */
readonly "per_minute": number
/** Messages of a day in the account's time zone; 0: no limit. */
readonly "daily_limit": number
/** Messages of a calendar month; 0: no limit. */
readonly "monthly_limit": number
/** Different numbers of a calendar month; 0: no limit. */
readonly "monthly_recipients": number
/**
 * The time since which its texts fail, at least 5 in a row; empty: they do not. Other lines are
 * preferred for an hour, then this one is tried again.
 */
readonly "failing_since": string
/** Beginnings of the numbers that this line is preferred for, separated by commas. */
readonly "prefixes": string
/**
 * What a segment costs: decimals as texts, by prefix of the recipient's number, the longest first,
 * and `default`; `mms` is what an MMS costs. The line sends to no other numbers. Null: the line
 * costs nothing.
 */
readonly "prices": unknown
/**
 * Whether it sends MMS: `on` if its device says so, or its owner; `off` if the owner forbids it;
 * empty if its device does not say so.
 */
readonly "mms": "on" | "off" | ""
/** What its texts of a calendar month may cost, a decimal as text. Empty: no limit. */
readonly "monthly_budget": string
/** When the record was made. */
readonly "created": string
/** When the record last changed. */
readonly "updated": string
readonly "collectionId": "lines"
readonly "collectionName": "lines"
/**
 * Records that relations lead to, if `expand` asked for them and they may be seen; also those that
 * lead here, under `collection_via_field`.
 */
readonly "expand"?: {
readonly "user"?: User
readonly "device"?: Device
}
}

export interface Sender {
/** 15 letters and digits; the server creates it if it is absent. */
readonly "id": string
/** The account. */
readonly "user": string
/** The kind of sender. */
readonly "kind": "owner" | "member" | "key" | "campaign" | "answer" | "hook"
/** The person's name, or the email's part before the @; else the source's name. */
readonly "name": string
readonly "collectionId": "senders"
readonly "collectionName": "senders"
/**
 * Records that relations lead to, if `expand` asked for them and they may be seen; also those that
 * lead here, under `collection_via_field`.
 */
readonly "expand"?: {
readonly "user"?: User
}
}

export interface User {
/** 15 letters and digits; the server creates it if it is absent. */
readonly "id": string
/** The name of the user. */
readonly "name": string
/** Messages in a calendar month; 0: the server's own limit. Only superusers may change it. */
readonly "monthly_quota": number
/**
 * Joined by an invitation: the user acts for accounts of others and has no own account. The user
 * cannot sign in without an enabled membership. Only superusers may change it.
 */
readonly "member_only": boolean
/** The language of mails to the user: the console sets it to its own; empty: unknown, then English. */
readonly "language": "en" | "de" | "es" | "fr" | "pt" | ""
/** When the record was made. */
readonly "created": string
/** When the record last changed. */
readonly "updated": string
/** Shown to the record itself and to superusers, to others if `emailVisibility` is set. */
readonly "email"?: string
/** Whether all who see the record see its email. */
readonly "emailVisibility": boolean
/** Whether the address was proven to be the record's own. */
readonly "verified": boolean
readonly "collectionId": "_pb_users_auth_"
readonly "collectionName": "users"
/**
 * Records that relations lead to, if `expand` asked for them and they may be seen; also those that
 * lead here, under `collection_via_field`.
 */
readonly "expand"?: {

}
}

export interface PreviewedText {
readonly "to": string
readonly "body": string
readonly "encoding": "GSM-7" | "UCS-2"
/** Septets (GSM-7) or UTF-16 units (UCS-2) of the text. */
readonly "units": number
/** Its segments. */
readonly "segments": number
/** Nothing would be sent to them. */
readonly "opted_out": boolean
/** Nothing would be sent to them. */
readonly "without_consent": boolean
}

export interface CostEstimate {
/** `currency` of the `user_settings`; empty: unset. */
readonly "currency": string
/** The lines that would send, the one with the most texts first. */
readonly "lines": readonly ({
readonly "line": string
readonly "texts": number
/** 0 for an MMS. */
readonly "segments": number
/** A decimal; 0 for a line without prices. */
readonly "cost": string
})[]
/** Texts that no line takes now, so that their cost is unknown. */
readonly "waiting": number
}

/** The body of a webhook's call. */
export type WebhookEvent =
  | {
readonly "type": "message.sent"
/** When it happened. */
readonly "timestamp": string
/** The message, as it was then. */
readonly "data": SmsMessage
}
  | {
readonly "type": "message.delivered"
/** When it happened. */
readonly "timestamp": string
/** The message, as it was then. */
readonly "data": SmsMessage
}
  | {
readonly "type": "message.failed"
/** When it happened. */
readonly "timestamp": string
/** The message, as it was then. */
readonly "data": SmsMessage
}
  | {
readonly "type": "message.received"
/** When it happened. */
readonly "timestamp": string
/** The message, as it was then. */
readonly "data": SmsMessage
/** Of an MMS with files. */
readonly "files"?: readonly ({
readonly "name": string
/** The media type of the content. */
readonly "type": string
/** Bytes. */
readonly "size": number
/** Gets the file without other credentials, for 10 days. Keep it secret. */
readonly "url": string
})[]
}
  | {
readonly "type": "audit.recorded"
/** When it happened. */
readonly "timestamp": string
/** The entry. */
readonly "data": {
/** 15 letters and digits; the server creates it if it is absent. */
readonly "id": string
/** The account. */
readonly "user": string
/** Who acted: the owner, a member or an API key. */
readonly "sender": string
/** `create`, `update`, `delete`, or `refused`: a use at an address that the record excludes. */
readonly "action": string
/** The collection of the changed record. */
readonly "collection": string
/** Its id. */
readonly "record": string
/** Names of the fields that were written, without their values. */
readonly "fields": unknown
/** The address of a use that was refused. */
readonly "ip": string
/** When the record was made. */
readonly "created": string
/**
 * Records that relations lead to, if `expand` asked for them and they may be seen; also those that
 * lead here, under `collection_via_field`.
 */
readonly "expand"?: {
readonly "user"?: User
readonly "sender"?: Sender
}
/** The entry's number in the log. */
readonly "number": number
}
}
  | {
readonly "type": "webhook.test"
/** When it happened. */
readonly "timestamp": string
/** The message, as it was then. */
readonly "data": SmsMessage
}
