import { checkSilentDevices } from '../../src/alarms/check-silent-devices.ts'
import { alarmMailJobs } from '../../src/alarms/mail-jobs.ts'
import type { MailServices } from '../../src/auth/mail/mailer.ts'
import type { Store } from '../../src/collections/catalog.ts'
import { readConfig } from '../../src/config.ts'
import { createLogger } from '../../src/log.ts'
import { SETTINGS } from '../../src/settings/settings.ts'
import { Worker } from '../../src/work/worker.ts'
import { makeDevice, makeUser, testStore } from './database/queue.ts'
import { type MailServer, type ReceivedMail, startMailServer } from './services/mail-server.ts'

export const ALARM_MINUTES = 10
/** From the last sign of life until the mail: the time of the setting, what is spared, and a look. */
export const MINUTES_UNTIL_MAIL = ALARM_MINUTES + 3

/** A store and a mail server. Nothing happens by itself, and time passes when a test says so. */
export interface AlarmFixture {
  readonly store: Store
  readonly mail: MailServer
  readonly post: MailServices
  /** Nothing is there, nobody has looked, and devices could reach us for an hour. */
  clear(): Promise<void>
  /** A user and the address. */
  addOwner(verified?: boolean): Promise<{ id: string; email: string }>
  addDevice(owner: { id: string }, name: string, columns?: Record<string, string>): Promise<string>
  change(devices: readonly string[], set: string): Promise<void>
  /** The devices give a sign of life. */
  see(...devices: string[]): Promise<void>
  pass(minutes: number): Promise<void>
  look(): Promise<void>
  send(): Promise<void>
  /**
   * So many minutes, a look and the mails in each, the devices in `alive` being heard of. Answers the mails
   * that came.
   */
  live(minutes: number, alive?: readonly string[]): Promise<ReceivedMail[]>
}

/** All that the database knows of time is longer ago. */
const PASS = [
  `update devices set last_seen = pb_text(last_seen::timestamptz - $1::interval) where last_seen <> ''`,
  'update sms_events set created = pb_text(created::timestamptz - $1::interval)',
  'update device_watch set reachable_since = reachable_since - $1::interval, looked_at = looked_at - $1::interval',
  `update device_silences set changed_at = changed_at - $1::interval, told_at = told_at - $1::interval,
    mailed_at = mailed_at - $1::interval,     silent_since = pb_text(silent_since::timestamptz - $1::interval)`,
  'update _jobs set created = created - $1::interval, due_at = due_at - $1::interval',
]

export async function openAlarmFixture(): Promise<AlarmFixture> {
  const [store, mail] = await Promise.all([testStore(), startMailServer()])
  const settings = SETTINGS.over(
    { smtp: { enabled: true, host: '127.0.0.1', port: mail.port } },
    SETTINGS.fresh(),
  )
  const config = readConfig({ PUBLIC_URL: 'https://sms.example.com' })
  const post = { settings: { current: settings }, config, log: createLogger({ logLevel: 'silent' }) }
  const { db } = store
  const fixture: AlarmFixture = {
    store,
    mail,
    post,
    async clear() {
      for (const table of ['devices', 'sms_dispatch', 'line_use', 'device_watch', 'device_silences', '_jobs'])
        await db.query(`delete from ${table}`)
      await db.query('insert into device_watch default values')
      await fixture.pass(60)
      await db.query('update device_watch set looked_at = now()')
      mail.mails.length = 0
    },
    async addOwner(verified = true) {
      const id = await makeUser(store)
      const { rows } = await db.query('update users set verified = $2 where id = $1 returning email', [
        id,
        verified,
      ])
      return { id, email: String(rows[0]![0]) }
    },
    async addDevice(owner, name, columns = {}) {
      const { id } = await makeDevice(store, owner.id, columns)
      await db.query('update devices set name = $2 where id = $1', [id, name])
      return id
    },
    async change(devices, set) {
      await db.query(`update devices set ${set} where id = any($1)`, [devices])
    },
    see: (...devices) => fixture.change(devices, 'last_seen = pb_text(now())'),
    async pass(minutes) {
      for (const text of PASS) await db.query(text, [`${minutes} minutes`])
    },
    look: () => checkSilentDevices(db, ALARM_MINUTES),
    send: () => new Worker(db, [alarmMailJobs(() => store, post)], post.log).drain(),
    async live(minutes, alive = []) {
      const before = mail.mails.length
      for (let i = 0; i < minutes; i++) {
        await fixture.pass(1)
        await fixture.see(...alive)
        await fixture.look()
        await fixture.send()
      }
      return mail.mails.slice(before)
    },
  }
  return fixture
}
