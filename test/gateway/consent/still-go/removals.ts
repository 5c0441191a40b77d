import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

// Removes checks of whether a text may still go to its person, one at a time, in a copy of the last commit:
// the tests must fail each time. Run by hand: node test/gateway/consent/still-go/removals.ts [--count 20]

/** A file, a check in it, and what stands there without the check. */
type Check = readonly [file: string, check: string, without: string]

const REFUSALS = 'sql/functions/consent/sms_refusals.sql'
const CLAIM = 'sql/functions/messages/queue/sms_claim.sql'
const END = 'sql/functions/consent/sms_end_refused.sql'
const JUDGE = 'sql/functions/messages/send/sms_judge.sql'
const ACCEPT = 'sql/functions/messages/send/sms_accept.sql'
const STORE = 'sql/functions/messages/send/sms_store.sql'
const CHECKS: readonly Check[] = [
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
  [
    'src/gateway/campaigns/store-campaign-texts.ts',
    '...toOfferedScope(makeCampaignScope(campaign)),',
    '',
  ],
  ['src/gateway/messages/queue/retry-messages.ts', '...toOfferedScope(readScope(one.scope)),', ''],
  [
    'src/gateway/messages/queue/apply-reports.ts',
    "if ((await cancelIfRefused(db, returned, true)).length > 0) return ''",
    '',
  ],
  ['src/gateway/messages/queue/overdue-messages.ts', 'or ${IS_REFUSED}', ''],
  [
    'src/gateway/messages/queue/sweep-queue.ts',
    '  cancelRefusedMessages,\n  endExpired',
    '  endExpired',
  ],
]

const HOME = join(import.meta.dirname, '../../../..')
const { count } = parseArgs({ options: { count: { type: 'string', default: '20' } } }).values

/** A copy of what git has here, with the packages of this folder. */
function copyRepository(): string {
  const copy = mkdtempSync(join(tmpdir(), 'pocketsms-removals-'))
  const archive = execFileSync('git', ['archive', 'HEAD'], { cwd: HOME, maxBuffer: 1 << 30 })
  execFileSync('tar', ['-x', '-C', copy], { input: archive })
  symlinkSync(join(HOME, 'node_modules'), join(copy, 'node_modules'))
  return copy
}

/** Runs the tests in the copy. Returns what they print if they are red, else undefined. */
function redTests(copy: string): string | undefined {
  const tests = ['test/gateway/consent', 'test/gateway/conversations/opted-out-meanwhile.test.ts']
  const args = ['vitest', 'run', ...tests, '--project', 'quick', '--project', 'slow', '--bail', '1']
  const { status, stdout } = spawnSync('npx', args, { cwd: copy, encoding: 'utf8' })
  return status === 0 ? undefined : stdout
}

/** Whether the tests are red without the check. */
function isNoticed(copy: string, [file, check, without]: Check): boolean {
  const path = join(copy, file)
  const whole = readFileSync(path, 'utf8')
  if (whole.split(check).length !== 2) throw new Error(`${file} must have once: ${check}`)
  writeFileSync(
    path,
    whole.replace(check, () => without),
  )
  const noticed = redTests(copy) !== undefined
  writeFileSync(path, whole)
  return noticed
}

const copy = copyRepository()
try {
  const red = redTests(copy)
  if (red) throw new Error(`The tests are red already, with all checks:\n${red}`)
  const shuffled = CHECKS.map((check) => ({ check, order: Math.random() })).sort(
    (a, b) => a.order - b.order,
  )
  const missed: string[] = []
  for (const { check } of shuffled.slice(0, Number(count))) {
    const noticed = isNoticed(copy, check)
    console.log(`${noticed ? 'red  ' : 'GREEN'} without ${check[0]}: ${check[1].trim()}`)
    if (!noticed) missed.push(check[1])
  }
  process.exitCode = missed.length > 0 ? 1 : 0
} finally {
  rmSync(copy, { recursive: true })
}
