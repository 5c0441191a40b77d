import type { Removed } from '../../support/try-removals.ts'

// Checks of whether a text may still be sent to its person, whose removal a test notices.

const REFUSALS = 'sql/functions/consent/sms_refusals.sql'
const CLAIM = 'sql/functions/messages/queue/sms_claim.sql'
const END = 'sql/functions/consent/sms_end_refused.sql'
const JUDGE = 'sql/functions/messages/send/sms_judge.sql'
const ACCEPT = 'sql/functions/messages/send/sms_accept.sql'
const STORE = 'sql/functions/messages/send/sms_store.sql'
export const CHECKS: readonly Removed[] = [
  [REFUSALS, 'unwilling := consent_stopped(owner, numbers);', 'null;'],
  [REFUSALS, 'unwilling || consent_left(owner, numbers, groups)', 'unwilling'],
  [REFUSALS, 'unproved := consent_missing(owner, numbers, groups);', 'null;'],
  [REFUSALS, "(terms ->> 'isRequired')::boolean or consent_required", 'consent_required'],
  [REFUSALS, " or consent_required(owner, coalesce(terms ->> 'template', ''), groups)", ''],
  [REFUSALS, 'erased := person_stopped(owner, numbers);', 'null;'],
  [REFUSALS, 'sms_is_destination(destinations, n.number) and', 'true and'],
  [REFUSALS, 'and sms_is_destination(key_destinations, n.number)', ''],
  [CLAIM, 'and due.message <> all(array(select r.message from refused r))', ''],
  [CLAIM, 'where h.id <> all(array(select r.message from refused r))', ''],
  [CLAIM, "d.state = 'assigned' and d.refused = ''", "d.state = 'assigned'"],
  [
    CLAIM,
    'update sms_dispatch d set refused = r.refusal',
    "update sms_dispatch d set refused = ''",
  ],
  [END, 'perform sms_refund(paid."user", paid.period, paid.messages);', 'null;'],
  [
    END,
    'update sms_dispatch d set refused = unknown',
    'update sms_dispatch d set refused = refused',
  ],
  [
    JUDGE,
    "or consent_required(owner, coalesce(request.template, ''), coalesce(request.groups, '{}'))",
    '',
  ],
  [
    JUDGE,
    'request.refusals := sms_refusals(',
    'request.scope := request.scope; perform sms_refusals(',
  ],
  [STORE, 'd.lines, d.scope::json', 'd.lines, null'],
  [
    ACCEPT,
    'if request.origin is not null or kept is not null then',
    'if request.origin is not null then',
  ],
  [
    'sql/functions/consent/sms_texts_unwanted.sql',
    'perform from sms_end_refused(',
    'perform array(',
  ],
  ['sql/functions/consent/scopes_kept.sql', "'{isRequired}', 'true'", "'{isRequired}', 'false'"],
  [
    'sql/functions/consent/scopes_kept.sql',
    "'{consent,isRequired}', 'true'",
    "'{consent,isRequired}', 'false'",
  ],
  ['sql/functions/consent/consent_left.sql', ` or e."group" = '' and e.purpose <> 'all'`, ''],
  ['src/gateway/campaigns/campaign-offer.ts', 'scope: makeCampaignScope(campaign),', ''],
  ['src/gateway/messages/queue/retry-messages.ts', 'scope: readScope(failed.scope),', ''],
  [
    'src/gateway/messages/queue/apply-reports.ts',
    "if ((await cancelIfRefused(db, returned, true)).length > 0) return ''",
    '',
  ],
  ['src/gateway/messages/queue/overdue-messages.ts', 'or ${IS_REFUSED}', ''],
  [
    'src/gateway/messages/queue/sweep-queue.ts',
    '  failExpiredLeases,\n  cancelRefusedMessages,',
    '  failExpiredLeases,',
  ],
]
