import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

// Every statement that lets a text leave, leave earlier, go elsewhere or say something else, in src and sql.
// A new one needs the judge, or a reason here why it needs none.

const HOME = join(import.meta.dirname, '../..')
const COLUMNS = ['to', 'body', 'line', 'due_at', 'scheduled_at', 'sealed']

const WRITES =
  /\b(insert into|update)\s+(sms_dispatch|sms_messages)\b(?:\s+(?!set\b)\w+)?\s*([\s\S]*?)(?=`|;|\)\s*,\s*\w+ as\b|\bwhere\b)/g

/** The columns that a statement writes: all that an insert names, those that an update sets. */
function columnsOf(verb: string, rest: string): readonly string[] {
  if (verb === 'insert into') return ['insert']
  const set = rest.replace(/^set\s/, '').replace(/\bfrom\b[\s\S]*/, '')
  return COLUMNS.filter((name) => new RegExp(`(^|,)\\s*"?${name}"?\\s*=`).test(set))
}

/** Queries that kysely writes: `.updateTable('sms_messages').set({ body, … })`. */
const BUILDS =
  /\.(insertInto|updateTable)\('(sms_dispatch|sms_messages)(?: as \w+)?'\)([\s\S]*?)(?=\.(?:where|whereRef|returning|execute)\b)/g

function columnsOfBuilt(verb: string, rest: string): readonly string[] {
  if (verb === 'insertInto') return ['insert']
  return COLUMNS.filter((name) => new RegExp(`[{,]\\s*${name}\\s*[:,}]`).test(rest))
}

const writersIn = (file: string): string[] => {
  const text = readFileSync(join(HOME, file), 'utf8')
  const found = [
    ...[...text.matchAll(WRITES)].map(
      ([, verb, table, rest]) => [table, columnsOf(verb!, rest!)] as const,
    ),
    ...[...text.matchAll(BUILDS)].map(
      ([, verb, table, rest]) => [table, columnsOfBuilt(verb!, rest!)] as const,
    ),
  ]
  return found.flatMap(([table, columns]) =>
    columns.length > 0 ? [`${file}: ${table} ${columns.join(', ')}`] : [],
  )
}

const JUDGED = 'asks the judge'
const QUEUE = 'chooses a line for an accepted text, within the lines that it may leave by'
const TIMES = 'looks again, now, for a line for a text that is due'
const ENDED = 'removes the text of a message that is over'
const WRITERS: Readonly<Record<string, string>> = {
  'sql/functions/messages/send/sms_store.sql: sms_messages insert': JUDGED,
  'sql/functions/messages/send/sms_store.sql: sms_dispatch insert': JUDGED,
  'sql/functions/messages/queue/sms_change.sql: sms_dispatch due_at': JUDGED,
  'sql/functions/messages/queue/sms_change.sql: sms_messages body, scheduled_at': JUDGED,
  'sql/functions/messages/queue/sms_hold.sql: sms_dispatch line, due_at':
    'holds texts of a campaign, with a permit',
  'sql/functions/messages/queue/sms_hold.sql: sms_messages line':
    'holds texts of a campaign, with a permit',
  'sql/functions/messages/queue/sms_release_held.sql: sms_dispatch due_at':
    'releases texts of a campaign, with a permit',
  'src/gateway/hooks/hourly-summary.ts: sms_messages body':
    'counts in its own summary, which an offer with a permit has stored',
  'src/gateway/people/erase-file-names.ts: sms_messages body':
    'replaces the names of files, which name an erased person, in lists of files',
  'sql/functions/messages/queue/sms_reassign.sql: sms_dispatch line, due_at': QUEUE,
  'sql/functions/messages/queue/sms_reassign.sql: sms_messages line': QUEUE,
  'sql/functions/messages/queue/sms_release.sql: sms_dispatch line, due_at': QUEUE,
  'sql/functions/messages/queue/sms_release.sql: sms_messages line': QUEUE,
  'sql/functions/messages/queue/sms_take_back.sql: sms_dispatch line, due_at': QUEUE,
  'sql/functions/messages/queue/sms_take_back.sql: sms_messages line': QUEUE,
  'sql/functions/lines/sms_line_refund.sql: sms_dispatch due_at': TIMES,
  'sql/functions/lines/sms_look_for_room.sql: sms_dispatch due_at': TIMES,
  'src/gateway/accounts/user-settings-extension.ts: sms_dispatch due_at': TIMES,
  'src/gateway/retention/end-messages.ts: sms_messages body': ENDED,
  'src/gateway/retention/end-messages.ts: sms_messages to, body': ENDED,
  'src/gateway/conversations/insert-received-texts.ts: sms_messages insert':
    'stores a text that came in',
  'src/gateway/conversations/store-typed-texts.ts: sms_messages insert':
    'stores a text that the owner of a phone has sent on it, and queues none',
  'src/gateway/conversations/join-national-number.ts: sms_messages to':
    'writes the numbers of texts that came in',
}

test('every statement that writes messages is listed', () => {
  const files = globSync(['src/**/*.ts', 'sql/functions/**/*.sql'], { cwd: HOME })
  const found = files.flatMap((file) => writersIn(file.replaceAll('\\', '/')))
  expect([...new Set(found)].sort()).toEqual(Object.keys(WRITERS).sort())
})
