import {
  escapeHtml,
  layout,
  linkTo,
  type MailSender,
  type MailServices,
  messageIdOf,
  nameInMail,
  namesOf,
  sendMail,
} from '../auth/mails.ts'
import type { Store } from '../collections/catalog.ts'
import type { Db } from '../db/open.ts'
import { runForRow, statement, text } from '../db/statement.ts'
import { isDisabledSql } from '../records/record-sql.ts'
import { IS_LOW } from '../sms/devices/device.ts'
import type { JobKind } from '../work/jobs.ts'

/** Name of the jobs that send alarm mails. The payload is AlarmNews[], the key is part of the Message-ID. */
const ALARM_MAIL = 'alarm_mail'
/** `last_seen` may be this many seconds old: servers write it no more often (sms/devices/device.ts). */
const SPARED_SECONDS = 30
/** Minimum seconds between two checks on all nodes together. A node checks about once a minute. */
const MIN_LOOK_SECONDS = 50
/** A longer gap between checks means that the server was down or the machine slept. Restarts are shorter. */
const GAP_SECONDS = 150
/** Devices that go silent within this time are in one mail. */
const GATHER_SECONDS = 50
/** Devices that return within this time are in one mail. Apps spread their reconnects over 90 s. */
const GATHER_BACK_SECONDS = 110
/** Minimum seconds between two mails to an account. */
const PACE_SECONDS = 300
/** Minimum time between two mails about silences of the same device. */
const REST = `interval '1 hour'`
/** How far back moved messages are counted. A device that is silent for longer has none left to move. */
const COUNTED = `interval '1 day'`
/** After this many wake-ups for one message, in 2 minutes, a device with push counts as silent. */
const WAKES = 5

const ago = (seconds: string | number) => `now() - ${seconds}::float8 * interval '1 second'`
/** SQL: `$1` seconds ago, formatted like `last_seen`. As a subquery it runs once and not for each row. */
const seenSince = `(select pb_text(${ago('$1')}))`

/** SQL: device `d` was seen, but not for `$1` seconds. If it has push, it also ignored WAKES wake-ups. */
const IS_SILENT = `d.last_seen <> '' and d.last_seen < ${seenSince} and (not pb_is_set(d.push) or exists (
  select from sms_dispatch q where q.device = d.id and q.state = 'assigned' and q.wakes >= ${WAKES}))`

/** Starts a check, unless one was just made. Returns whether devices could reach us for the last `$1` s. */
const CLAIM = `
insert into device_watch default values
on conflict (is_only) do update set looked_at = now(), reachable_since =
  case when device_watch.looked_at < ${ago(GAP_SECONDS)} then now() else device_watch.reachable_since end
where device_watch.looked_at < ${ago(MIN_LOOK_SECONDS)}
returning reachable_since < ${ago('$1')}`

/** Forgets silences of devices that were deleted, disabled or given away, and those of disabled users. */
const FORGET_GONE = `delete from device_silences s
where not exists (select from devices d
  where d.id = s.device and d."user" = s."user" and d.enabled and not ${isDisabledSql('d."user"')})`

const NOTE_BACK = `update device_silences s
set state = case s.state when 'told' then 'back' else 'over' end, changed_at = now()
from devices d where d.id = s.device and s.state in ('silent', 'told') and d.last_seen >= ${seenSince}`

const FORGET_OVER = `delete from device_silences
where state = 'over' and (told_at is null or told_at <= now() - ${REST})`

/** Marks devices that are silent again: `told` if no mail told of the return, else `silent` (a new mail). */
const NOTE_AGAIN = `update device_silences s
set state = case s.state when 'back' then 'told' else 'silent' end, changed_at = now(),
  silent_since = case s.state when 'back' then s.silent_since else d.last_seen end
from devices d where d.id = s.device and s.state in ('back', 'over') and ${IS_SILENT}`

const NOTE_SILENT = `insert into device_silences (device, "user", state, silent_since)
select d.id, d."user", 'silent', d.last_seen
from devices d join users u on u.id = d."user" and u.verified
where d.enabled and not ${isDisabledSql('u.id')} and ${IS_SILENT} and not exists (select from device_silences s where s.device = d.id)
on conflict do nothing`

const MAY_TELL = `(s.state = 'silent' and (s.told_at is null or s.told_at <= now() - ${REST}) or s.state = 'back')`

/** SQL: how many messages of device `n.device` moved to other devices since it was last seen. */
const MOVED = `select count(distinct e.message) from sms_events e
where e."user" = n."user" and e.created >= greatest(n.silent_since, pb_text(now() - ${COUNTED}))
  and e.status = 'assigned' and e.detail <> '' and e.device <> n.device
  and exists (select from sms_events p
    where p.message = e.message and p.status = 'assigned' and p.device = n.device and p._rowid < e._rowid)`

/** SQL: adds a mail job per user about the devices in `news`, a CTE in `ctes`. `told`: their JSON fields. */
const tellOf = (ctes: string, told: string, order: string) => `
with ${ctes}
insert into _jobs (kind, holder, key, payload)
select '${ALARM_MAIL}', n."user", gen_random_uuid(), json_agg(json_build_object(
    'name', coalesce(nullif(n.name, ''), nullif(n.phone, ''), n.device), ${told},
    'waiting', (select count(*) from sms_dispatch q where q.device = n.device and q."user" = n."user" and q.state <> 'pending')
  ) order by ${order}, n.device)
from news n group by n."user"`

/** Selects the devices to mail about. Sets their state to `told`, or to `over` if they are back. */
const SILENT_OR_BACK = `owners as (
  select distinct s."user" from device_silences s
  where ${MAY_TELL} and s.changed_at <= now() - case s.state
      when 'silent' then interval '${GATHER_SECONDS} seconds' else interval '${GATHER_BACK_SECONDS} seconds' end
    and not exists (
      select from device_silences m where m."user" = s."user" and m.mailed_at > ${ago(PACE_SECONDS)})
), news as (
  update device_silences s
  set state = case s.state when 'silent' then 'told' else 'over' end,
    told_at = case s.state when 'silent' then now() else s.told_at end, mailed_at = now()
  from owners o, devices d where o."user" = s."user" and d.id = s.device and ${MAY_TELL}
  returning s."user", d.id as device, d.name, d.phone, s.state = 'told' as is_silent, s.silent_since, s.changed_at
)`
const TELL = tellOf(
  SILENT_OR_BACK,
  `'isSilent', n.is_silent, 'silentSince', n.silent_since, 'backSince', pb_text(n.changed_at),
    'moved', case when n.is_silent then (${MOVED}) else 0 end`,
  'n.is_silent desc, n.silent_since, n.name',
)

/** At most one mail a day about a failing line (SIM). */
const FAILING = `news as (
  update line_use w set failing_told_at = now()
  from lines l join devices d on d.id = l.device join users u on u.id = l."user" and u.verified
  where l.id = w.line and l.failing_since <> '' and l.enabled and l.present and d.enabled
    and not ${isDisabledSql('u.id')}
    and (w.failing_told_at is null or w.failing_told_at < now() - interval '1 day')
  returning l."user", d.id as device, d.name, d.phone, l.failing_since)`
const TELL_FAILING = tellOf(FAILING, `'failingSince', n.failing_since`, 'n.failing_since')

/** A battery at this percentage or more has recovered. The next time that it is low, a new mail tells so. */
const RECOVERED = 20

/** Marks batteries as recovered, at least an hour after the mail, so that wrong readings cause few mails. */
const NOTE_RECOVERED = `
update device_batteries set low_told_at = null
where low_told_at < now() - interval '1 hour' and percent >= ${RECOVERED}`

/** One mail about a low battery until it has recovered. */
const LOW = `news as (
  update device_batteries b set low_told_at = now()
  from devices d join users u on u.id = d."user" and u.verified
  where d.id = b.device and ${IS_LOW} and b.low_told_at is null and d.enabled and not ${isDisabledSql('u.id')}
  returning d."user", d.id as device, d.name, d.phone, b.percent)`
const TELL_LOW = tellOf(LOW, `'battery', n.percent`, 'n.percent')

/** Adds mail jobs about devices that fail, are low on battery, went silent or returned. */
export async function checkSilentDevices(db: Db, alarmMinutes: number): Promise<void> {
  const seconds = alarmMinutes * 60 + SPARED_SECONDS
  await db.transaction(async (tx) => {
    const { rows } = await tx.query(CLAIM, [seconds])
    if (!rows[0]) return
    const [silenceCounts] = rows[0]
    await tx.query(TELL_FAILING)
    await tx.query(NOTE_RECOVERED)
    await tx.query(TELL_LOW)
    await tx.query(FORGET_GONE)
    await tx.query(NOTE_BACK, [seconds])
    await tx.query(FORGET_OVER)
    if (!silenceCounts) return
    await tx.query(NOTE_AGAIN, [seconds])
    await tx.query(NOTE_SILENT, [seconds])
    await tx.query(TELL)
  })
}

/** A mail that has waited longer than this is not sent any more. */
const MAX_AGE_MS = 86_400_000
/** A mail waits this many seconds at a time while an older mail of its account is unsent. */
const IN_ORDER_SECONDS = 60

/** The owner's address (null if deleted or unverified), and whether an older mail has to be sent first. */
const READ = statement('alarm mail read', { to: 'string?', waits: 'boolean' })`
select (select u.email from users u where u.id = ${text('holder')} and u.verified) as to, exists (
  select from _jobs j where j.kind = '${ALARM_MAIL}' and j.holder = ${text('holder')} and j.id < ${text('id')} and j.dead_at is null) as waits`

/** Jobs that send alarm mails, in order for each account. A retried mail has the same Message-ID. */
export const alarmMailJobs = (storeOf: (user: string) => Store, post: MailServices): JobKind => ({
  name: ALARM_MAIL,
  places: 4,
  placesOfHolder: 1,
  timeoutSeconds: 600,
  // so many that MAX_AGE_MS ends the retries first
  maxAttempts: 40,
  async run(job) {
    if (job.ageMs > MAX_AGE_MS) {
      post.log.error({ mail: job.key }, 'could not send an alarm mail within a day')
      return
    }
    const { to, waits } = (await runForRow(storeOf(job.holder).db, READ, job))!
    if (waits) return { inSeconds: IN_ORDER_SECONDS }
    const messageId = messageIdOf(post, job.key)
    if (to) await sendMail(post, { ...alarmMail(job.payload as AlarmNews[], namesOf(post)), messageId, to })
  },
})

/** One item of an alarm mail, usually about a device. Its times are unchecked: an owner can edit them. */
export interface AlarmNews {
  readonly name: string
  /** True if the device went silent; false or absent for other news. */
  readonly isSilent?: boolean
  /** When messages of one of the device's lines began to fail. */
  readonly failingSince?: string
  /** Percent of a battery that is low and not charging. */
  readonly battery?: number
  /** A prefix such as `+49`: the verification service `name` sends no more codes to such phone numbers. */
  readonly stoppedCountry?: string
  readonly silentSince?: string
  readonly backSince?: string
  /** How many messages wait for the device. */
  readonly waiting: number
  /** How many of the device's messages moved to other devices. */
  readonly moved?: number
}

/** Maximum devices that a mail lists in each part. The rest are counted. */
const MAX_LISTED = 100

export function alarmMail(news: readonly AlarmNews[], sender: MailSender): { subject: string; html: string } {
  const failing = news.filter(({ failingSince }) => failingSince)
  const low = news.filter(({ battery }) => battery !== undefined)
  const silent = news.filter(({ isSilent }) => isSilent)
  const stopped = news.filter(({ stoppedCountry }) => stoppedCountry)
  const others = [failing, low, silent, stopped].flat()
  const back = news.filter((one) => !others.includes(one))
  const groups = [
    [silent, 'silent', silenceOf],
    [failing, 'failing', failureOf],
    [low, 'low on battery', lowBatteryOf],
    [back, 'back', returnOf],
    [stopped, `sending no codes to ${stopped[0]?.stoppedCountry}`, stopOf],
  ] as const
  const body = [
    'Hello,',
    ...groups.flatMap(([all, , line]) => section(all, line)),
    ...(silent.length > 0
      ? ['Look whether it is switched on, has a network, and runs its app or agent.']
      : []),
  ].map((text) => `<p>${escapeHtml(text)}</p>`)
  body.push(
    `<p>${linkTo(`${sender.appUrl}/#/devices`, 'Your devices', 'btn')}</p>`,
    `<p>${escapeHtml(sender.appName)}</p>`,
  )
  const parts = groups.flatMap(([all, state]) => {
    if (all.length > 1) return `${all.length} devices are ${state}`
    return all.map((one) => `${nameOf(one)} is ${state}`)
  })
  return { subject: parts.join(', '), html: layout(body.join('\n')) }
}

function section(news: readonly AlarmNews[], line: (one: AlarmNews) => string): string[] {
  const more = news.length - MAX_LISTED
  return [...news.slice(0, MAX_LISTED).map(line), ...(more > 0 ? [`And ${more} more.`] : [])]
}

const silenceOf = (news: AlarmNews) =>
  `${nameOf(news)} has been silent since ${minute(news.silentSince!)}. ${messagesOf(news)}`

const failureOf = (news: AlarmNews) =>
  `${nameOf(news)} has been failing since ${minute(news.failingSince!)}: at least 5 texts in a row were not sent. Others send instead, if there are any. Look at its SIM, its credit and its permission to send. ${messagesOf(news)}`

const lowBatteryOf = (news: AlarmNews) =>
  `${nameOf(news)} has ${Math.round(news.battery!)} % of battery left and is not charging. Plug it in. ${messagesOf(news)}`

const returnOf = (news: AlarmNews) =>
  `${nameOf(news)} is back since ${minute(news.backSince!)}. It was silent from ${minute(news.silentSince!)} on. ${messagesOf(news)}`

const stopOf = (news: AlarmNews) =>
  `${nameOf(news)} sends no codes to numbers that begin with ${news.stoppedCountry} any more: too few of the last ones were entered, as when somebody has codes sent for money. If all is well, take the country out of what is stopped there.`

function messagesOf({ waiting, moved = 0 }: AlarmNews): string {
  const parts = [
    ...(waiting > 0 ? [`${messages(waiting)} for it`] : []),
    ...(moved > 0 ? [`${moved} ${moved === 1 ? 'was' : 'were'} handed to other devices`] : []),
  ]
  return parts.length > 0 ? `${parts.join(', ')}.` : 'No messages wait for it.'
}

const messages = (count: number) => (count === 1 ? '1 message waits' : `${count} messages wait`)

const nameOf = ({ name }: AlarmNews) => nameInMail(name, 'A device')

/** A stored instant as `2026-11-20 07:00 UTC`. */
const minute = (text: string) => `${text.slice(0, -8)} UTC`
