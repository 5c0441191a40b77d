import { createHash } from 'node:crypto'
import { hash } from 'bcrypt'

/** Runs SQL. */
export type RunSql = (text: string) => Promise<void>

export const MESSAGES = 200_000
const EVENTS = 300_000
const OTHERS = 200
const SECONDS_BETWEEN = 40

/** The users that the measurements act as. `small` has 2,000 messages, `large` 102,000. */
export const USERS = {
  small: 'benchsmalluser1',
  large: 'benchlargeuser1',
  sender: 'benchsenderusr1',
  waker: 'benchwakerusr01',
} as const
export type UserName = keyof typeof USERS

export const PASSWORD = 'bench-password-1'
export const emailOf = (user: UserName) => `${user}@bench.test`

const date = (instant: string) =>
  `to_char((${instant}) at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.MS"Z"')`
const NOW = date('now()')
const id = (text: string) => `substr(md5(${text}), 1, 15)`

/** Of 100 messages 51 are the large user's and one is the small one's: 102,000 and 2,000 of 200,000. */
const OWNER = `case when n % 100 < 51 then '${USERS.large}' when n % 100 = 51 then '${USERS.small}'
  else 'benchother' || lpad((n % ${OTHERS})::text, 5, '0') end`
/** Spread so that it depends on nobody's share: 80 % delivered, 10 % sent, 5 % failed, 5 % received. */
const STATUS = `case when n / 100 % 20 < 16 then 'delivered' when n / 100 % 20 < 18 then 'sent'
  when n / 100 % 20 < 19 then 'failed' else 'received' end`
const CREATED = date(`now() - (${MESSAGES} - n) * interval '${SECONDS_BETWEEN} seconds'`)

const users = (passwordHash: string) => `
  insert into users (id, email, password, "tokenKey", verified, name, created, updated)
  select id, email, '${passwordHash}', md5(id) || md5(email), true, 'Bench', ${NOW}, ${NOW} from (
    values ${Object.entries(USERS)
      .map(([name, id]) => `('${id}', '${name}@bench.test')`)
      .join(', ')}
    union all select 'benchother' || lpad(n::text, 5, '0'), 'other' || n || '@bench.test' from generate_series(0, ${OTHERS - 1}) n
  ) u (id, email)`

const devices = `
  insert into devices (id, email, password, "tokenKey", "user", name, platform, enabled, last_seen, created, updated)
  select ${id("'device' || u.id || n")}, '', '', md5(u.id || n) || md5('device' || u.id || n), u.id, 'Phone ' || n, 'android', true,
    ${NOW}, ${NOW}, ${NOW}
  from users u, generate_series(1, 3) n where u.id <> '${USERS.waker}'`

const messages = `
  insert into sms_messages (id, status, "to", "from", body, message_type, device, line, segments, sent_at, "user", created, updated)
  select ${id("'message' || n")}, m.status, '+49170' || lpad((n::bigint * 7919 % 10000000)::text, 7, '0'), '+491600000000',
    'Message ' || n || ': your parcel arrives tomorrow between 9 and 12.',
    case when m.status = 'received' then 'incoming' else 'outgoing' end, l.device, l.id, 1, m.created, owner, m.created, m.created
  from (select n, ${OWNER} as owner, ${STATUS} as status, ${CREATED} as created from generate_series(1, ${MESSAGES}) n) m
  join lines l on l.device = ${id(`'device' || owner || (n % 3 + 1)`)}`

const events = `
  insert into sms_events (id, "user", message, status, device, attempt, created)
  select ${id("'event' || n")}, m."user", m.id, m.status, m.device, 1, m.created
  from generate_series(1, ${EVENTS}) n join sms_messages m on m.id = ${id(`'message' || (n % ${MESSAGES} + 1)`)}`

/** Fills the tables that the server's first start made: users, devices, messages with their events. */
export async function seed(run: RunSql): Promise<void> {
  for (const text of [users(await hash(PASSWORD, 10)), devices, messages, events]) await run(text)
  await run('vacuum (analyze)')
}

/** Some messages of a reader, spread over all that it has, as the statements above make them. */
export function someMessages(user: UserName, count: number): string[] {
  const step = Math.floor(MESSAGES / 100 / count)
  const first = user === 'small' ? 51 : 100
  const numbers = Array.from({ length: count }, (_, i) => first + i * step * 100)
  return numbers.map((n) => createHash('md5').update(`message${n}`).digest('hex').slice(0, 15))
}
