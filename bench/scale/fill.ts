import { hash } from 'bcrypt'
import type { RunSql } from '../seed.ts'

export const PASSWORD = 'bench-password-1'
/** Of all messages `large` has a tenth, `small` a thousandth, at least 100. */
export const READERS = { small: 'scalesmalluser1', large: 'scalelargeuser1' } as const
export type ReaderName = keyof typeof READERS
export const emailOf = (reader: ReaderName) => `${reader}@scale.test`
export const SUPERUSER = 'root@scale.test'

/** A word of every tenth message, and one of one in 20,000. */
export const COMMON_WORD = 'parcel'
export const RARE_WORD = 'giraffe'
/** The name of one of three devices of each user. */
export const DEVICE_NAME = 'Phone 2'

const OTHERS = 500
const DEVICES = 3
/** The messages lie in the two years before the run. */
const DAYS = 730
const NUMBERS = 20_000
const CHUNK = 250_000

const date = (instant: string) =>
  `to_char((${instant}) at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.MS"Z"')`
const NOW = date('now()')
const id = (text: string) => `substr(md5(${text}), 1, 15)`
const other = (n: string) => `'scaleother' || lpad((${n})::text, 5, '0')`

const users = (passwordHash: string) => `
  insert into users (id, email, password, "tokenKey", verified, name, created, updated)
  select id, email, '${passwordHash}', md5(id) || md5(email), true, 'Scale', ${NOW}, ${NOW} from (
    values ${Object.entries(READERS)
      .map(([name, id]) => `('${id}', '${name}@scale.test')`)
      .join(', ')}
    union all select ${other('n')}, 'other' || n || '@scale.test' from generate_series(0, ${OTHERS - 1}) n
  ) u (id, email)`

const devices = `
  insert into devices (id, email, password, "tokenKey", "user", name, platform, enabled, last_seen, created, updated)
  select ${id("'device' || u.id || n")}, '', '', md5(u.id || n) || md5('device' || u.id || n), u.id, 'Phone ' || n,
    'android', true, ${NOW}, ${NOW}, ${NOW}
  from users u, generate_series(1, ${DEVICES}) n where u.id like 'scale%'`

/** 0 to `count` - 1, spread over the rows without a pattern that another column shares. */
const spread = (factor: number, count: number) =>
  `((n::bigint * ${factor} + n::bigint / 97) % ${count})::int`
const SYLLABLES = `(array['ka','lo','mi','nu','pe','ra','so','tu','va','we','xi','yo','za','bri','cle','dro','fen','gul','hap','jin'])`
const syllable = (factor: number) => `${SYLLABLES}[1 + ${spread(factor, 20)}]`
const word = (factor: number) =>
  `${syllable(factor)} || ${syllable(factor + 12)} || ${syllable(factor + 34)}`
const BODY = `'Message ' || n || ': ' || ${word(101)} || ' ' || ${word(1009)} || ' ' || ${word(10007)}
  || case when (n / 1000 + n / 10) % 10 = 7 then ' your ${COMMON_WORD} arrives tomorrow' else ' see you at the meeting' end
  || case when n % 20000 < 20 and n % 1000 in (0, 1, 11) then ' ${RARE_WORD}' else '' end`

const OWNER = `case when n % 10 = 0 then '${READERS.large}' when n % 1000 = 1 then '${READERS.small}'
  else ${other(`n % ${OTHERS}`)} end`
const STATUS = `case when n / 1000 % 20 < 16 then 'delivered' when n / 1000 % 20 < 18 then 'sent'
  when n / 1000 % 20 < 19 then 'failed' else 'received' end`

const messages = (count: number, from: number, to: number) => `
  insert into sms_messages (id, status, "to", "from", body, message_type, device, segments, sent_at, "user", created, updated)
  select ${id("'message' || n")}, status,
    case when status = 'received' then '' else number end, case when status = 'received' then number else '' end,
    ${BODY}, case when status = 'received' then 'incoming' else 'outgoing' end,
    ${id(`'device' || owner || (n / 10 % ${DEVICES} + 1)`)}, 1, created, owner, created, created
  from (
    select n, ${OWNER} as owner, ${STATUS} as status,
      '+4917' || lpad((${spread(7919, NUMBERS)} * 4999)::text, 8, '0') as number,
      ${date(`now() - (${count} - n) * interval '${(DAYS * 86_400) / count} seconds'`)} as created
    from generate_series(${from}, ${to}) n
  ) m`

const INDEXES = `select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as ddl
  from pg_index i where i.indrelid = 'sms_messages'::regclass
    and not exists (select from pg_constraint c where c.conindid = i.indexrelid)`

/** Rows of a statement, each as an object. */
export type Read = (text: string) => Promise<readonly Record<string, string>[]>

/**
 * Fills a database that `pocketsms migrate` has prepared: users, devices, `count` messages. Indexes of the
 * messages are made after them, which takes a tenth of the time.
 */
export async function fill(
  run: RunSql,
  read: Read,
  count: number,
  say: (line: string) => void,
): Promise<void> {
  for (const text of [users(await hash(PASSWORD, 10)), devices, 'analyze users', 'analyze devices'])
    await run(text)
  const indexes = await read(INDEXES)
  for (const { name } of indexes) await run(`drop index ${name}`)
  await run('alter table sms_messages disable trigger user')
  for (let from = 1; from <= count; from += CHUNK) {
    const to = Math.min(from + CHUNK - 1, count)
    await run(messages(count, from, to))
    say(`${to.toLocaleString('en')} messages`)
  }
  await run('alter table sms_messages enable trigger user')
  await run(`set maintenance_work_mem = '512MB'`)
  for (const { name, ddl } of indexes) {
    say(`index ${name}`)
    await run(ddl!)
  }
  await run('select sms_count_all()')
  say('vacuum')
  await run('vacuum (analyze)')
}
