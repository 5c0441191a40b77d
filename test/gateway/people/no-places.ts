import type { Catalog } from '../../../src/engine/collections/catalog.ts'

/**
 * Tables of the engine, and why none of their rows needs an erasure. Those of features have `places` and
 * `noPlaces` in the `personalData` of the feature.
 */
export const ENGINE_TABLES: Readonly<Record<string, string>> = {
  _audit: 'names actions, superusers and record ids; never values',
  _audit_logs: 'counts of entries of the audit logs',
  _audit_numbers: 'ids of entries of the audit logs',
  _audit_queue: 'ids of entries of the audit logs',
  _authOrigins: 'browsers of people who sign in',
  _changes:
    'the change log: an erasure overwrites its images of each place, and clears it at the end',
  _collections: 'schemas',
  _externalAuths: 'accounts of people who sign in',
  _file_chunks: 'contents of _files, which are deleted with them',
  _file_contents: 'hashes and sizes of contents of _files, which are deleted with them',
  _functions: 'checksums of SQL functions',
  _listeners: 'nodes',
  _logs: 'requests by the patterns of their routes, without values',
  _mfas: 'sign-ins of auth records',
  _migrations: 'names of migrations',
  _otps: 'sign-in codes of auth records, which expire within minutes',
  _params: 'settings and keys of the server',
  _provider_claims:
    'what a provider says of people who sign in, encrypted, deleted within the hour',
  _subscribing: 'requests to subscribe, deleted after a minute',
  _superusers: 'people who sign in',
  _unproven_links: 'ids of rows',
  auth_challenges: 'random numbers',
  auth_passkeys: 'passkeys of people who sign in',
  auth_factors: 'second factors of people who sign in',
  auth_session_tokens: 'hashes of tokens',
  auth_sessions: 'sessions of people who sign in',
  auth_tries: 'counts by hashes of numbers, deleted within a month',
  backup_state: 'backups',
}

/** Why columns name no person in rows about others. A column: its name in all tables, or table and name. */
const REASONS: Readonly<Record<string, string>> = {
  'names a row': `id entry previous _audit_logs.account _audit_numbers.account _audit_queue.account user key campaign of_campaign made_by occurrence message messages last_message delivery ref line lines device webhook holder record
    collection _file_contents.account auth_session_tokens.account batch_id batches former_batch event_id api_key verification answer
    collectionRef recordRef session sms_dispatch.scope sms_dispatch.send hook_once.hook hook_windows.hook push_subscriptions.sender
    inbox_views.assignee inbox_views.labels
    contacts.person _provider_claims.mfa _unproven_links.link`,
  'a number: rows of the person are found by it':
    'number phone to from recipients audience without_consent numbers',
  'the server chooses it from a list': `event kind api state of_state country time_zone charged waiting_for quiet_zone
    period month type sms_dispatch.refused purpose counts repeat thumb node _audit.action account_audit.action
    _changes.action _mfas.method auth_sessions.method _externalAuths.provider _provider_claims.provider members.directory directory_roles.provider device_batteries.connection smsgate_tokens.scopes
    sms_messages_brief.message_type sms_messages_brief.status`,
  'a name of a field, file or function of the program': `_audit.fields account_audit.fields _functions.name
    _migrations.file`,
  'a schema, or a setting of the server': '_collections.name _collections.data _params.value',
  'what the server does at the moment': `_listeners.ignored _subscribing.request backup_state.last_backup
    backup_state.last_failure backup_state.last_restore backup_state.running backup_state.schedule`,
  'a time': 'device_silences.silent_since line_use.day',
  'a setting of the account, by which it works': `device_carriers.account directory_roles.claim directory_roles.value hooks.template hooks.recipients_from
    hooks.pictures_from hooks.once_key hooks.resolved_when hooks.send_when quiet_from quiet_to webhooks.url webhooks.headers
    webhooks.body webhooks.target webhooks.smsgate_id auto_answers.hours_from auto_answers.hours_to
    auto_answers.value contact_fields.choices contact_fields.former contact_fields.name lines.monthly_budget
    lines.prefixes lines.prices twilio_numbers.sms_method user_settings.account_name user_settings.color
    notify_from notify_to notify_zone user_settings.code_destinations user_settings.code_stopped
    user_settings.currency destinations verify_services.app_hash verify_services.default_locale
    verify_services.domain verify_services.name`,
  'a device or line of the account itself': `device_pairings.name devices.email devices.name devices.push
    devices.sims lines.carrier lines.label smsgate_phones.path`,
  'a text that the account wrote for all': `auto_answers.body contact_groups.join_text contact_groups.join_words
    contact_groups.page_consent contact_groups.page_text sms_templates.body verify_services.templates`,
  'about people who sign in': `_audit.email _audit.ip account_audit.ip _audit.superuser _externalAuths.providerId _otps.sentTo
    _superusers.email addresses api_keys.last_used_ip api_keys.last_used_prefix
    auth_sessions.ip auth_sessions.user_agent
    auth_passkeys.name auth_passkeys.host auth_passkeys.transports member_invitations.email push_subscriptions.endpoint push_subscriptions.user_agent users.email users.name`,
  'random, a hash, or encrypted': `hash sealed auth_factors.pending recovery auth_passkeys.credential auth_passkeys.public_key fingerprint secret previous_secret signing_secret token
     service_token address_hash token_hash code_hash tokenKey signing_key checksum api_keys.prefix
    _file_contents.sha256 _migrations.sha256 api_keys.previous_hash api_keys.previous_prefix api_keys.previous_signing api_keys.signing
    push_subscriptions.keys`,
  'a request by the pattern of its route, without values': '_logs.data',
  'what an erasure clears otherwise': '_changes.image _changes.former _file_chunks.bytes',
  'counts and ids of texts': 'hook_windows.summary',
  'the name of a file that another person sent': '_files.name',
  'a row that names the person in any column is deleted': `hook_calls.body hook_calls.error hook_calls.texts
    sms_idempotency.key sms_idempotency.answer twilio_answers.replies`,
  'a proof of another person, which nobody may change': `consents.shown consents.version consents.said
    consents.address consents.browser`,
}

export const NO_WORDS: ReadonlyMap<string, string> = new Map(
  Object.entries(REASONS).flatMap(([reason, columns]) =>
    columns.split(/\s+/).map((column) => [column, reason] as const),
  ),
)

const WORDLESS = new Set(['relation', 'select', 'file', 'password', 'autodate', 'date'])

/** Why a column, `table.column`, names no person in rows about others; undefined without a reason. */
export function findReason(column: string, catalog: Catalog): string | undefined {
  const [table, name] = column.split('.') as [string, string]
  const field = catalog.find(table)?.fields.find((one) => one.name === name)
  if (field && WORDLESS.has(field.type)) return `a field of the type ${field.type}`
  return NO_WORDS.get(column) ?? NO_WORDS.get(name)
}
