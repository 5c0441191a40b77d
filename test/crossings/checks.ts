import type { Removal, Removed } from '../support/try-removals.ts'
import { type Promised, type TriedOnEach, triedOnEach } from './table.ts'

// Checks of what the crossing table promises, and a test of the promise's column that notices their removal.

/** A test that tries ways, of which those alone are run whose titles have these words. */
const each = (tried: TriedOnEach, way: string) => {
  const { file, title } = triedOnEach(tried)
  const project = file.includes('.slow.') ? 'slow' : 'quick'
  return [file, '--project', project, '-t', title.replace('$title', way)]
}
const removal = (of: readonly Promised[], removed: Removed, tests: readonly string[]): Removal => ({
  of,
  removed,
  tests,
})

const JUDGE = 'sql/functions/messages/send/sms_judge.sql'
const REFUSALS = 'sql/functions/consent/sms_refusals.sql'
const CLAIM = 'sql/functions/messages/queue/sms_claim.sql'

export const REMOVALS: readonly Removal[] = [
  removal(
    ['stored'],
    [
      'src/protocols/smtp/receive-mail.ts',
      'return sendManyTexts(sending, sender, read.map(requestTo), isTrial, whole)',
      "sendManyTexts(sending, sender, read.map(requestTo), isTrial, whole).catch(() => '')\n    return ''",
    ],
    each('stored', 'a mail'),
  ),
  removal(
    ['given'],
    ['src/portable/text-template.ts', 'own && !isInvisible(own) ? own : (given ?? own)', 'own'],
    [
      ...['test/gateway/messages/send/given-names.test.ts', '--project', 'quick'],
      ...['-t', 'a given name fills a gap'],
    ],
  ),
  removal(
    ['names'],
    ['src/portable/fold-text.ts', 'foldCase(writePlainly(name)).trim()', 'name'],
    [
      ...['test/gateway/people/same-names.test.ts', '--project', 'quick'],
      ...['-t', 'finds what it names in each spelling'],
    ],
  ),
  removal(
    ['day'],
    ['src/portable/read-day.ts', 'if (!minute) return written', 'return written'],
    [
      ...['test/gateway/people/contact-fields.test.ts', '--project', 'quick'],
      ...['-t', 'of the account, and'],
    ],
  ),
  removal(
    ['onceByKey'],
    [
      'src/gateway/messages/send/idempotency.ts',
      'if (first && first.fingerprint !== fingerprint) throw',
      '// throw',
    ],
    each('onceByKey', 'a campaign'),
  ),
  removal(
    ['onceByKey'],
    [
      'src/gateway/campaigns/create-campaign.ts',
      'if (once) await storeFirstAnswer(',
      'if (false) await storeFirstAnswer(',
    ],
    each('onceByKey', 'a campaign'),
  ),
  removal(
    ['onceByReference'],
    ['src/gateway/messages/send/same-send.ts', 'if (other || (!isRetry &&', 'if ((!isRetry &&'],
    each('onceByReference', 'a text'),
  ),
  removal(
    ['onceAgain'],
    [
      'src/gateway/messages/queue/retry-messages.ts',
      '=> SERVER_REFS.retry + id',
      '=> SERVER_REFS.retry + id + Math.random()',
    ],
    each('onceAgain', 'a text'),
  ),
  removal(
    ['onceByFile'],
    [
      'src/gateway/messages/send/read-media.ts',
      "hashes.push(hash.digest('base64url'))",
      "hashes.push('')",
    ],
    each('onceByFile', 'an uploaded file'),
  ),
  removal(
    ['onceByFile'],
    [
      'src/gateway/messages/send/same-send.ts',
      'if (other || (!isRetry && (await hasOtherFiles(db, message, offer.given))))',
      'if (other)',
    ],
    [
      ...['test/crossings/once-by-file.test.ts', '--project', 'quick'],
      ...['-t', 'a reference by an uploaded file'],
    ],
  ),
  removal(
    ['consent'],
    [REFUSALS, 'unwilling := consent_stopped(owner, numbers);', 'null;'],
    each('consent', 'a mail'),
  ),
  removal(
    ['keyBounds'],
    ['src/engine/auth/identify-key.ts', 'and not k.disabled and', 'and'],
    each('keyBounds', 'an assistant'),
  ),
  removal(
    ['keyBounds'],
    [
      'sql/functions/messages/send/sms_may.sql',
      ' and sms_is_destination(key_destinations, n.number)',
      '',
    ],
    each('keyBounds', 'Kannel’s interface'),
  ),
  removal(
    ['accountBounds'],
    [
      JUDGE,
      "    if outcome = 'accepted' and (bounds.destinations || bounds.key_destinations",
      '    if false and (bounds.destinations || bounds.key_destinations',
    ],
    each('accountBounds', 'a hook'),
  ),
  removal(
    ['money'],
    [JUDGE, 'if account.monthly_quota > 0 and account.used', 'if false and account.used'],
    each('money', 'SMSGate’s interface'),
  ),
  removal(
    ['size'],
    [
      'src/gateway/messages/send-routes.ts',
      'export const MAX_SEND_BODY_BYTES = 4 << 20',
      'export const MAX_BODY_BYTES = 16 << 20',
    ],
    [
      'test/gateway/messages/send/send-errors.test.ts',
      ...['--project', 'quick', '-t', 'a body of 10 MB is refused with 413'],
    ],
  ),
  removal(
    ['hidden'],
    [
      'src/gateway/messages/send/prepare-media.ts',
      'const stripped = stripFile(bytes, type)\n  if (!stripped || stripped.length > room)',
      'const stripped = bytes\n  if (stripped.length > room)',
    ],
    each('hiddenInFiles', 'an uploaded file'),
  ),
  removal(
    ['erased'],
    [REFUSALS, 'erased := person_stopped(owner, numbers);', 'null;'],
    each('erased', 'Vendel’s interface'),
  ),
  removal(
    ['retention'],
    ['src/gateway/retention/end-messages.ts', 'return clearLastTexts(db, messages)', 'return []'],
    each('retention', 'a text'),
  ),
  removal(
    ['retention'],
    [
      'src/gateway/hooks/hourly-summary.ts',
      "writePeriodsSql(ref('c.user'), days)",
      "writePeriodsSql(sql`''`, days)",
    ],
    each('retention', 'a hook'),
  ),
  removal(
    ['closedAccount'],
    [
      'src/engine/auth/find-auth-record.ts',
      "return id === DEVICES_ID ? isDisabledSql('b.\"user\"') : 'false'",
      "return 'false'",
    ],
    each('closedAccount', 'a hook'),
  ),
  removal(
    ['cancel'],
    [
      'src/gateway/messages/queue/fail-messages.ts',
      'for (const { user, period, messages } of paid) await refundQuota',
      'for (const { user, period, messages } of [] as typeof paid) await refundQuota',
    ],
    each('cancel', 'a scheduled text'),
  ),
  removal(
    ['change'],
    ['sql/functions/messages/queue/sms_planned_change.sql', 'coalesce(new_body, e.body)', 'e.body'],
    each('change', 'a template'),
  ),
  removal(
    ['twoServers'],
    [CLAIM, '      for update of d skip locked\n', ''],
    ['test/crossings/two-servers.slow.test.ts', '--project', 'slow'],
  ),
  removal(
    ['killed'],
    [
      'src/gateway/hooks/handle-hook-call.ts',
      'const handled = store.db.transaction(async (db) => {',
      'const handled = (async (work: (db: typeof store.db) => Promise<any>) => work(store.db))(async (db) => {',
    ],
    [
      'test/gateway/hooks/hook-events.test.ts',
      ...['--project', 'quick', '-t', 'a crash while hook_calls is written'],
    ],
  ),
  removal(
    ['status'],
    [
      'sql/functions/messages/queue/sms_report.sql',
      ' and d.attempt = g.attempt\n    returning d.message',
      '\n    returning d.message',
    ],
    each('status', 'a text'),
  ),
  {
    ...removal(
      ['console'],
      [
        'console/src/pages/messages/columns.tsx',
        '{findReason(message) || describeTime(message)}',
        '{describeTime(message)}',
      ],
      ['--config', 'test/browser/vitest.config.ts', 'ways-in', '-t', 'on a desktop'],
    ),
    isOfConsole: true,
  },
  removal(
    ['docs'],
    [
      'docs/campaigns.md',
      'curl -s $URL/api/sms/send-template -H "X-API-Key: $KEY"',
      'curl -s $URL/api/sms/send-template',
    ],
    ['test/crossings/table.test.ts', '--project', 'quick'],
  ),
]
