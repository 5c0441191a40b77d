// generated from the schema by `npm run schema`
// biome-ignore-all format: a type a line

/** A row as Postgres reads it from text: what `writeRow` returns. */
export type RowText = string

/** The composite types, by their fields. A field that is left out is null. */
export interface Rows {
  sms_line_state: {
    readonly id?: string | null | undefined
    readonly device?: string | null | undefined
    readonly slot?: number | null | undefined
    readonly number?: string | null | undefined
    readonly prefixes?: string | null | undefined
    readonly rank?: number | null | undefined
    readonly is_available?: boolean | null | undefined
    readonly full_until?: string | null | undefined
    readonly is_limited?: boolean | null | undefined
    readonly is_failing?: boolean | null | undefined
    readonly can_mms?: boolean | null | undefined
    readonly is_carrier?: boolean | null | undefined
    readonly is_stale?: boolean | null | undefined
    readonly day?: string | null | undefined
    readonly next_day?: string | null | undefined
    readonly next_month?: string | null | undefined
    readonly day_room?: number | null | undefined
    readonly month_room?: number | null | undefined
    readonly has_recipient_limit?: boolean | null | undefined
    readonly recipient_room?: number | null | undefined
    readonly prices?: string | null | undefined
    readonly budget?: string | null | undefined
    readonly spent?: string | null | undefined
    readonly is_told?: boolean | null | undefined
    readonly turn?: number | null | undefined
    readonly day_more?: number | null | undefined
    readonly recipients_more?: number | null | undefined
    readonly cost_more?: string | null | undefined
    readonly has_turned?: boolean | null | undefined
    readonly has_stopped?: boolean | null | undefined
  }
  sms_new_message: {
    readonly user?: string | null | undefined
    readonly id?: string | null | undefined
    readonly status?: string | null | undefined
    readonly to?: string | null | undefined
    readonly from?: string | null | undefined
    readonly body?: string | null | undefined
    readonly segments?: number | null | undefined
    readonly device?: string | null | undefined
    readonly line?: string | null | undefined
    readonly pinned?: boolean | null | undefined
    readonly line_pinned?: boolean | null | undefined
    readonly charged?: string | null | undefined
    readonly waiting_for?: string | null | undefined
    readonly zone?: string | null | undefined
    readonly due_at?: string | null | undefined
    readonly batch?: string | null | undefined
    readonly priority?: number | null | undefined
    readonly sim?: number | null | undefined
    readonly scheduled_at?: string | null | undefined
    readonly expires_at?: string | null | undefined
    readonly guarantee?: string | null | undefined
    readonly ref?: string | null | undefined
    readonly is_answer?: boolean | null | undefined
    readonly sealed?: string | null | undefined
    readonly lines?: readonly string[] | null | undefined
    readonly sent_by?: string | null | undefined
    readonly fault?: string | null | undefined
    readonly cost?: string | null | undefined
    readonly scope?: string | null | undefined
    readonly subject?: string | null | undefined
    readonly attachments?: readonly string[] | null | undefined
  }
  sms_request: {
    readonly version?: string | null | undefined
    readonly key?: string | null | undefined
    readonly key_version?: string | null | undefined
    readonly device?: string | null | undefined
    readonly line?: string | null | undefined
    readonly from?: string | null | undefined
    readonly later?: boolean | null | undefined
    readonly undo_seconds?: number | null | undefined
    readonly batch?: string | null | undefined
    readonly body?: string | null | undefined
    readonly priority?: number | null | undefined
    readonly sim?: number | null | undefined
    readonly scheduled_at?: string | null | undefined
    readonly expires_at?: string | null | undefined
    readonly guarantee?: string | null | undefined
    readonly ref?: string | null | undefined
    readonly bulk?: boolean | null | undefined
    readonly idempotency_key?: string | null | undefined
    readonly fingerprint?: string | null | undefined
    readonly answer?: string | null | undefined
    readonly origin?: string | null | undefined
    readonly messages?: readonly RowText[] | null | undefined
    readonly sent_by?: string | null | undefined
    readonly sealed?: string | null | undefined
    readonly lines?: readonly string[] | null | undefined
    readonly template?: string | null | undefined
    readonly groups?: readonly string[] | null | undefined
    readonly requires_consent?: boolean | null | undefined
    readonly is_help?: boolean | null | undefined
    readonly scope?: string | null | undefined
    readonly refusals?: readonly string[] | null | undefined
    readonly subject?: string | null | undefined
    readonly attachments?: readonly string[] | null | undefined
  }
  sms_request_message: {
    readonly id?: string | null | undefined
    readonly to?: string | null | undefined
    readonly body?: string | null | undefined
    readonly segments?: number | null | undefined
    readonly zone?: string | null | undefined
  }
  webhook_call: {
    readonly delivery?: string | null | undefined
    readonly webhook?: string | null | undefined
    readonly user?: string | null | undefined
    readonly event_id?: string | null | undefined
    readonly event?: string | null | undefined
    readonly message?: string | null | undefined
    readonly image?: string | null | undefined
    readonly target?: string | null | undefined
  }
}

/** The fields of composite types in their order. */
export const FIELDS: { readonly [T in keyof Rows]: readonly (keyof Rows[T])[] } = {
  sms_line_state: ['id', 'device', 'slot', 'number', 'prefixes', 'rank', 'is_available', 'full_until', 'is_limited', 'is_failing', 'can_mms', 'is_carrier', 'is_stale', 'day', 'next_day', 'next_month', 'day_room', 'month_room', 'has_recipient_limit', 'recipient_room', 'prices', 'budget', 'spent', 'is_told', 'turn', 'day_more', 'recipients_more', 'cost_more', 'has_turned', 'has_stopped'],
  sms_new_message: ['user', 'id', 'status', 'to', 'from', 'body', 'segments', 'device', 'line', 'pinned', 'line_pinned', 'charged', 'waiting_for', 'zone', 'due_at', 'batch', 'priority', 'sim', 'scheduled_at', 'expires_at', 'guarantee', 'ref', 'is_answer', 'sealed', 'lines', 'sent_by', 'fault', 'cost', 'scope', 'subject', 'attachments'],
  sms_request: ['version', 'key', 'key_version', 'device', 'line', 'from', 'later', 'undo_seconds', 'batch', 'body', 'priority', 'sim', 'scheduled_at', 'expires_at', 'guarantee', 'ref', 'bulk', 'idempotency_key', 'fingerprint', 'answer', 'origin', 'messages', 'sent_by', 'sealed', 'lines', 'template', 'groups', 'requires_consent', 'is_help', 'scope', 'refusals', 'subject', 'attachments'],
  sms_request_message: ['id', 'to', 'body', 'segments', 'zone'],
  webhook_call: ['delivery', 'webhook', 'user', 'event_id', 'event', 'message', 'image', 'target'],
}
