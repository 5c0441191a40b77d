// generated from the schema by `npm run schema`
// biome-ignore-all format: a signature a line

/** Functions with one result, for `callFunction`. */
export interface Functions {
  _announce: (channel: string, payload: string) => void
  _file_contents_drop: (contents: readonly number[]) => void
  account_name: (owner: string) => string
  alarms_check: (silent_seconds: number) => void
  alarms_is_silent: (device_id: string, seen: string, push: string) => boolean
  alarms_silences: (seen_since: string) => void
  alarms_waiting: (of_user: string, of_device: string) => number
  auth_give_back: (keys: readonly string[], exempt: string, days: number) => void
  auth_note_refused_address: (account: string, collection: string, record: string, label: string, address: string, network: string) => void
  auth_take_tries: (keys: readonly string[], limits: readonly number[], seconds: number, exempt: string) => number
  codes_few_right: (of_user: string, to_country: string, of_pages: boolean) => boolean
  codes_stop: (of_user: string, to_country: string) => boolean
  consent_is_late: (owner: string, number: string, group: string, purpose: string, message: string, given: string) => boolean
  consent_left: (owner: string, numbers: readonly string[], groups: readonly string[]) => readonly string[]
  consent_missing: (owner: string, numbers: readonly string[], groups: readonly string[]) => readonly string[]
  consent_question: (state: string) => string
  consent_rejoined: (owner: string, person: string, stopped_at: string) => boolean
  consent_required: (owner: string, template: string, groups: readonly string[]) => boolean
  consent_stopped: (owner: string, numbers: readonly string[]) => readonly string[]
  conversations_assign: (of_user: string, numbers: readonly string[]) => void
  labels_add: (owner: string, numbers: readonly string[], label: string) => void
  pb_known_zone: (zone: string) => string
  pb_new_id: () => string
  pb_time_shift: (ms: number, raw: number, modifier: string, n: number) => number
  person_hash: (owner: string, number: string) => string
  person_stopped: (owner: string, numbers: readonly string[]) => readonly string[]
  pg_notify: (arg1: string, arg2: string) => void
  push_queue: (owner: string, items: readonly string[]) => void
  session_start: (session_id: string, of_collection: string, of_record: string, hash: string, expires: number, from_ip: string, agent: string) => boolean
  set_config: (arg1: string, arg2: string, arg3: boolean) => string
  sms_announce_canceled: (device: string, message: string, attempt: number) => void
  sms_begin: (of_device: string, of_message: string, of_attempt: number, begun: Date, formers: readonly Date[], is_fresh: boolean) => string
  sms_contact_join: (owner: string, stored: string, phone: string) => void
  sms_conversation_answered: (owner: string, moment: string, recipient: string, content: string, message_id: string) => void
  sms_conversation_heard: (owner: string, phone: string) => void
  sms_conversation_join: (owner: string, stored: string, phone: string) => boolean
  sms_conversation_rename: (owner: string, phone: string, contact_name: string) => void
  sms_count: (counted: number, owner: string, more: number) => void
  sms_count_all: () => void
  sms_counted: (owner: string) => number
  sms_device_room_at: (device_id: string, per_minute: number, daily_limit: number) => Date
  sms_due_scheduled: (online_seconds: number, room: number) => readonly string[]
  sms_due_waiting: (online_seconds: number, room: number) => readonly string[]
  sms_hold: (batches: readonly string[], owner: string, detail: string, changed_by: string, room: number) => number
  sms_is_below_limits: (device_id: string, per_minute: number, daily_limit: number) => boolean
  sms_is_failing: (failing_since: string) => boolean
  sms_last_leaves_at: (owner: string, at: Date, more: number, of_device: string, of_line: string) => Date
  sms_line_count: (of_line: string, owner: string) => void
  sms_line_outcomes: (line_id: string, has_sent: boolean, failed: number) => void
  sms_line_refund: (of_line: string, charged: string, recipient: string, refunded: string, owner: string) => void
  sms_lines_changed: (what: string, ids: readonly string[]) => void
  sms_lines_keep: (device_id: string, owner: string, phone: string, sims: string, is_new: boolean) => void
  sms_local_day: (owner: string, at: Date) => string
  sms_look_for_room: (owner: string) => void
  sms_may: (act: string, destinations: string, key_destinations: string, key_lines: readonly string[], numbers: readonly string[], device: string, line: string, sim: number, kept: readonly string[]) => string
  sms_phones_down_at: (owner: string, minutes: number) => Date
  sms_quiet_until: (starts: string, ends: string, days: readonly string[], zone: string, at: Date) => Date
  sms_quiet_zones: (owner: string) => readonly string[]
  sms_rank_line: (owner: string, device_id: string, platform: string, number: string) => number
  sms_recall: (texts: readonly string[], reason: string, by: string) => number
  sms_refund: (owner: string, period: string, messages: number) => void
  sms_refusals: (owner: string, numbers: readonly string[], scope: string, sender: string) => readonly string[]
  sms_release_held: (batches: readonly string[], owner: string, detail: string, changed_by: string, room: number) => number
  sms_return_stale: (room: number) => void
  sms_take_back: (texts: readonly string[], dues: readonly Date[], waits_for: string, why: string) => void
  sms_takes_from: (owner: string, since: string, not_by: string) => number
  sms_time_zone: (owner: string) => string
  sms_unknown_zones: () => string
  verify_named: (of_user: string, named_id: string, number: string, of_service: string) => string
}

/** Functions with rows, for `callFunctionRows`. */
export interface TableFunctions {
  code_take: (keys: readonly string[], amounts: readonly number[], limits: readonly number[], seconds: readonly number[]) => { place: number; wait: number }
  consent_answered: (owner: string, number: string, reply: string) => { group: string; shown: string }
  jobs_lease: (of_kind: string, first: string, room: number, busy: readonly string[], seconds: number) => { id: number; holder: string; key: string; payload: string; runs: number; attempts: number; ageMs: number }
  pb_time: (t: string) => { ms: number; raw: number }
  retention_periods: (owner: string, server: number) => { incoming: number; outgoing: number; files: number; consents: number }
  sms_accept: (moment: string, since: string, default_quota: number, sticky: string, owners: readonly string[], recipients: readonly string[], requests: readonly string[]) => { outcomes: readonly string[]; known: readonly string[]; wake: readonly string[] }
  sms_assign: (owner: string, since: string, at: Date, sticky: string, is_new: boolean, texts: string, is_trial: boolean) => { n: number; line: string; device: string; number: string; charged: string; cost: string; room_at: Date; reason: string }
  sms_change: (texts: readonly string[], scheduled: string, expires: string, ttl: number, new_body: string, new_segments: number, new_priority: number, sender: string, may_cancel: boolean, act: string, record: string) => { message: string; what: string; unfit: boolean; refusal: string; due: Date; ends: Date; next_priority: number; next_segments: number }
  sms_claim: (asks: string) => { number: number; id: string; attempt: number; to: string; body: string; sim: number; priority: number; expires_at: string; lease_until: string; sealed: string; subject: string; attachments: readonly string[] }
  sms_conversation_last: (owner: string, other: string) => { id: string; body: string; at: string; type: string; device: string; heard: string; name: string }
  sms_end_refused: (texts: readonly string[], are_unsent: boolean, ended_by: string) => { device: string }
  sms_estimate: (owner: string, since: string, at: Date, sticky: string, key: string, of_device: string, line_id: string, line_number: string, of_sim: number, of_priority: number, texts: string) => { line: string; messages: number; segments: number; cost: string }
  sms_fail: (texts: readonly string[], reason: string, ended_by: string) => { user: string; period: string; messages: number }
  sms_limits_of: (owner: string, user_version: string, key_id: string, key_version: string, sender: string) => { stale: boolean; destinations: string; key_destinations: string; key_lines: readonly string[] }
  sms_lines_near_limits: (share: number) => { line: string; device: string; user: string; is_full: boolean }
  sms_named_lines: (owner: string, line_id: string, line_number: string, device_id: string, slot: number) => { line: string; device: string }
  sms_planned_change: (texts: readonly string[], scheduled: string, expires: string, ttl: number, new_body: string, new_segments: number, new_priority: number, sender: string, may_cancel: boolean) => { message: string; device: string; sent_by: string; due: Date; ends: Date; next_priority: number; waits_for: string; next_body: string; next_segments: number; unfit: boolean; refusal: string; what: string }
  sms_queued_devices: () => { device: string }
  sms_ranked_lines: (owner: string, since: string) => { line: string; device: string; slot: number; number: string; rank: number; is_free: boolean; is_plain: boolean }
  sms_reassign: (texts: readonly string[], whys: readonly string[], online_seconds: number, is_charged: boolean) => { device: string }
  sms_reassign_unclaimed: (online_seconds: number, room: number) => { device: string }
  sms_release: (texts: readonly string[], online_seconds: number, sticky: string) => { device: string }
  sms_report: (reports: string) => { number: number; status: string; is_applied: boolean; line: string }
  sms_rewake: (room: number) => { device: string }
  verify_check: (of_user: string, named_id: string, number: string, of_service: string, code_hash: string, max_attempts: number) => { id: string; to: string; service: string; channel: string; status: string; attempts: number; expires_at: string; created: string; updated: string }
  verify_end: (of_user: string, named_id: string, number: string, of_service: string, ended: string) => { id: string; to: string; service: string; channel: string; status: string; attempts: number; expires_at: string; created: string; updated: string; message: string }
  webhook_lease: (lock: number, room: number) => { delivery: string; since: string }
  webhook_record: (outcomes: string, is_over: boolean) => { webhook_record: string }
}
