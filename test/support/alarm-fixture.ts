import { SETTINGS_SHAPE } from '../../src/engine/settings/settings-shape.ts'
import { checkSilentDevices, makeAlarmMailJobs } from '../../src/gateway/alarms/alarm-mails.ts'
import { readConfig } from '../../src/platform/config.ts'
import { makeWorker } from '../../src/platform/jobs/job-worker.ts'
import { createLogger } from '../../src/platform/log.ts'
import { makeDevice, makeUser, testStore } from './database/queue.ts'
import { startMailServer } from './services/mail-server.ts'

export const ALARM_MINUTES = 10
/** From the last sign of life until the mail: the time of the setting, what is spared, and a look. */
export const MINUTES_UNTIL_MAIL = ALARM_MINUTES + 3

/** All that the database knows of time is longer ago. */
const PASS = [
  `update devices set last_seen = pb_text(last_seen::timestamptz - $1::interval) where last_seen <> ''`,
  'update sms_events set created = pb_text(created::timestamptz - $1::interval)',
  'update device_watch set reachable_since = reachable_since - $1::interval, looked_at = looked_at - $1::interval',
  `update device_silences set changed_at = changed_at - $1::interval, told_at = told_at - $1::interval,
    mailed_at = mailed_at - $1::interval,     silent_since = pb_text(silent_since::timestamptz - $1::interval)`,
  'update _jobs set created = created - $1::interval, due_at = due_at - $1::interval',
]

/** A store and a mail server. Nothing happens by itself, and time passes when a test says so. */
export async function openAlarmFixture() {
  const [store, mail] = await Promise.all([testStore(), startMailServer()])
  const settings = SETTINGS_SHAPE.over(
    { smtp: { enabled: true, host: '127.0.0.1', port: mail.port } },
    SETTINGS_SHAPE.fresh(),
  )
  const config = readConfig({ PUBLIC_URL: 'https://sms.example.com' })
  const post = {
    settings: { current: settings },
    config,
    log: createLogger({ logLevel: 'silent' }),
  }
  const { db } = store
  const change = async (devices: readonly string[], set: string) =>
    void (await db.query(`update devices set ${set} where id = any($1)`, [devices]))
  /** The devices give a sign of life. */
  const see = (...devices: string[]) => change(devices, 'last_seen = pb_text(now())')
  const pass = async (minutes: number) => {
    for (const text of PASS) await db.query(text, [`${minutes} minutes`])
  }
  const look = () => checkSilentDevices(db, ALARM_MINUTES)
  const send = () => makeWorker(db, [makeAlarmMailJobs(() => store, post)], post.log).drain()
  return {
    store,
    mail,
    post,
    change,
    see,
    pass,
    look,
    send,
    /** Nothing is there, nobody has looked, and devices could reach us for an hour. */
    async clear() {
      for (const table of [
        'devices',
        'sms_dispatch',
        'line_use',
        'device_watch',
        'device_silences',
        '_jobs',
      ])
        await db.query(`delete from ${table}`)
      await db.query('insert into device_watch default values')
      await pass(60)
      await db.query('update device_watch set looked_at = now()')
      mail.mails.length = 0
    },
    /** A user and the address. */
    async addOwner(verified = true) {
      const id = await makeUser(store)
      const { rows } = await db.query(
        'update users set verified = $2 where id = $1 returning email',
        [id, verified],
      )
      return { id, email: String(rows[0]![0]) }
    },
    async addDevice(owner: { id: string }, name: string, columns: Record<string, string> = {}) {
      const { id } = await makeDevice(store, owner.id, columns)
      await db.query('update devices set name = $2 where id = $1', [id, name])
      return id
    },
    /**
     * So many minutes, a look and the mails in each, the devices in `alive` being heard of. Answers the mails
     * that came.
     */
    async live(minutes: number, alive: readonly string[] = []) {
      const before = mail.mails.length
      for (let i = 0; i < minutes; i++) {
        await pass(1)
        await see(...alive)
        await look()
        await send()
      }
      return mail.mails.slice(before)
    },
  }
}
