import type { Removed } from '../support/try-removals.ts'

// Checks of the judge, whose removal the matrix notices.

const PERMIT = 'src/gateway/base/permissions.ts'
const JUDGE = 'src/gateway/messages/send/sending-permission.ts'
const MAY = 'sql/functions/messages/send/sms_may.sql'
const ACCEPT = 'sql/functions/messages/send/sms_judge.sql'
export const CHECKS: readonly Removed[] = [
  [PERMIT, 'if (role && !isRoleEnough(role, needs.role)) return', '// return'],
  [PERMIT, 'if (own && !scopes.some((scope) => grantsScope(own, scope)))', 'if (false)'],
  [PERMIT, "if (isCounted && role === 'agent' && texts > MAX_OF_AGENT) return", '// return'],
  [PERMIT, "isAllowed(sender, 'listMessages') ? undefined : sender.key?.id", 'undefined'],
  [JUDGE, 'return key === undefined', 'return true'],
  [JUDGE, 'if (found?.campaign) throw makeCampaignError(found.campaign)', '// removed'],
  [JUDGE, 'if (refusal !== null) throw toGatewayError(sender, refusal)', '// removed'],
  [JUDGE, '  when m.sent_by <> ${sentBy}', '  -- when m.sent_by <> ${sentBy}'],
  [JUDGE, "  when l.destinations || l.key_destinations <> ''", '  when false'],
  [MAY, "  if account_destinations || key_destinations <> ''", '  if false'],
  [MAY, 'sms_is_destination(account_destinations, n.number) and ', ''],
  [MAY, ' and sms_is_destination(key_destinations, n.number)', ''],
  [MAY, '  if key_lines is null then', '  if true then'],
  [
    MAY,
    '  if not coalesce(line = any (key_lines), kept <@ key_lines, false) then',
    '  if false then',
  ],
  [MAY, '  if device is not null or sim > 0 then', '  if false then'],
  [
    ACCEPT,
    "    if outcome = 'accepted' and (bounds.destinations || bounds.key_destinations",
    '    if false and (bounds.destinations || bounds.key_destinations',
  ],
  [
    'src/gateway/messages/send/prepare-offer.ts',
    "requirePermit(sender, 'send', phones.length)",
    "requirePermit(sender, 'send')",
  ],
  ['src/gateway/messages/send/preview-send.ts', 'items: showsPeople ? items : []', 'items'],
  ['src/gateway/messages/send/preview-send.ts', 'await requireReach(', 'void (0 && requireReach)('],
  ['src/gateway/codes/check-code.ts', 'await requireReach(', 'void (0 && requireReach)('],
  [
    'src/gateway/messages/queue/retry-messages.ts',
    "requirePermit(sender, 'retry', due.length)",
    "requirePermit(sender, 'retry')",
  ],
  [
    'src/gateway/messages/queue/retry-messages.ts',
    "if (campaign !== '' && campaign !== sender.sentBy) throw",
    '// throw',
  ],
  [
    'src/gateway/messages/queue/reschedule-batch.ts',
    "requirePermit(sender, 'change', messages)",
    "requirePermit(sender, 'change')",
  ],
  [
    'sql/functions/messages/queue/sms_planned_change.sql',
    'case when not may_cancel and',
    'case when false and',
  ],
  [
    'src/gateway/messages/queue/cancel-messages.ts',
    'if (refused !== null) throw toGatewayError(sender, refused)',
    '// removed',
  ],
  [
    'src/gateway/messages/queue/cancel-messages.ts',
    'if (refused !== null) throw toGatewayError(permit.sender, refused)',
    '// removed',
  ],
  [
    'src/gateway/campaigns/audited-change.ts',
    "if (isDone) await auditAct(db, permit, 'campaigns', action, id)",
    '// removed',
  ],
  ['src/gateway/messages/send/idempotency.ts', 'string => ` ${name}`', 'string => name'],
  [
    'src/gateway/messages/message-extensions.ts',
    "auth?.limits === 'agent' ?",
    'auth === undefined ?',
  ],
  [
    'src/protocols/smtp/validate-recipient.ts',
    'await sendManyTexts({ ...services.sending, store: by.store }, by, [one], true)',
    'void one',
  ],
  [
    'src/protocols/smseagle/send-to-named.ts',
    "isAllowed(sender, 'readContacts') ? found.recipients : numbers",
    'found.recipients',
  ],
  ['src/protocols/send-by-key.ts', "requirePermit(sender, 'send')", 'void sender'],
  [
    'src/gateway/messages/require-sender.ts',
    'return work(sender, requirePermit(sender, act))',
    'return work(sender, { sender, act } as Permit)',
  ],
  [
    'src/http/allow-callers.ts',
    'await requireSuperuser(c, services)',
    'await requireAuth(c, services)',
  ],
  ['src/http/attempt.ts', 'isAlone ? personal : isRoleEnough(limits, least)', 'true'],
  [
    'src/gateway/campaigns/campaign-permission.ts',
    "reminder ? 'reminder' : list ? 'list' : 'campaign'",
    "'list'",
  ],
  [
    'src/protocols/vendel/vendel-routes.ts',
    "makeReadHandler('readMessage', readBatch)",
    "makeReadHandler('readUsage', readBatch)",
  ],
]
