import { createServer } from 'node:net'
import { defineCommand } from 'citty'
import { FORMER_DIRECTORY } from '../gateway/accounts/former-directory.ts'
import { describeZones } from '../gateway/lines/check-zones-and-hours.ts'
import { isPublicSubject } from '../gateway/lines/web-push.ts'
import { findDiskWarning, readDisk } from '../http/metrics/disk.ts'
import { UserError } from '../platform/api-errors.ts'
import { type Config, readConfig } from '../platform/config.ts'
import { openDb } from '../platform/db/connect-database.ts'
import { hasCluster } from '../platform/db/embedded/cluster-location.ts'
import { findSite } from '../platform/db/embedded/find-site.ts'
import type { Db } from '../platform/db/open.ts'
import { checkSchema, isMigrated } from '../platform/db/schema/migrate.ts'
import { createLogger } from '../platform/log.ts'
import { limitTime } from '../platform/tools/deadline.ts'
import {
  checkPhoneAccess,
  checkTls,
  type DoctorCheck,
  type Finding,
  fetchHealth,
  PATIENCE_MS,
  readErrorCause,
} from './doctor-network.ts'

/** How far the clocks of other servers may be off: one-time passwords expire in 30 seconds. */
const MOST_SKEW_MS = 30_000
/** How long the embedded Postgres may take to start. */
const START_MS = 60_000
const NO_TABLES = 'none yet: the first start makes them'
const log = createLogger({ logLevel: 'silent' })

async function checkPort({ host, port: number }: Config): Promise<Finding> {
  const place = `${host}:${number}`
  const probe = createServer()
  const code = await new Promise<string | undefined>((resolve) => {
    probe.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code))
    probe.listen(number, host, () => probe.close(() => resolve(undefined)))
  })
  if (!code) return { found: `${place} is free` }
  if (code !== 'EADDRINUSE')
    return {
      found: `${place} cannot be opened (${code})`,
      advice: 'Set HOST to 127.0.0.1 or 0.0.0.0, and PORT to 1024 or more.',
    }
  const here = `http://${host.replace('0.0.0.0', '127.0.0.1').replace('::', '[::1]')}:${number}`
  const answer = await fetchHealth(here).catch(() => undefined)
  if (answer?.isOurs) return { found: `a pocketsms serves on ${place}` }
  return {
    found: `another program has ${place}`,
    advice: 'Stop it, or choose another port: PORT=8091.',
  }
}

async function checkPostgres(config: Config): Promise<Finding> {
  if (config.databaseUrl)
    return { found: `Postgres ${await queryDatabase(config, 'show server_version')} answers` }
  const { programs, folder } = findSite(config.dataDir, log)
  return { found: `Postgres ${programs.version} of ${programs.bin}, with its files in ${folder}` }
}

/** Opens the database for `work`. Throws a UserError if it does not answer. */
async function askDatabase<T>(config: Config, work: (db: Db) => Promise<T>): Promise<T> {
  const asked = openDb(config, log).then((database) =>
    work(database.forEverybody('command')).finally(() => database.close()),
  )
  return limitTime(asked, config.databaseUrl ? PATIENCE_MS : START_MS).catch((error) => {
    if (error instanceof UserError || !config.databaseUrl) throw error
    throw new UserError(
      `Start the Postgres of DATABASE_URL, or correct its address: ${readErrorCause(error)}`,
    )
  })
}

/** The first value of a query's answer. Throws a UserError if the database does not answer. */
const queryDatabase = (config: Config, text: string): Promise<unknown> =>
  askDatabase(config, async (db) => (await db.query(text)).rows[0]?.[0])

async function checkTables(config: Config): Promise<Finding> {
  if (!config.databaseUrl && !hasCluster(config.dataDir)) return { found: NO_TABLES }
  return askDatabase(config, async (db) => {
    const applied = await checkSchema(db)
    if (applied.length === 0) return { found: NO_TABLES }
    if (await isMigrated(db)) return { found: 'of this version' }
    return { found: 'of an older version, which the next start brings up to date' }
  })
}

// fails for a database that no server of this version has opened
const checkZones: DoctorCheck = async (config) =>
  describeZones(
    config.databaseUrl &&
      (await queryDatabase(config, 'select sms_unknown_zones()').catch(() => undefined)),
  )

/**
 * Looks for phones that get texts with codes late. Those with SMSGate's app do not report their Android
 * version.
 */
async function checkAndroid(config: Config): Promise<Finding> {
  const text = 'select count(*)::int from device_batteries where android >= 37'
  const late = config.databaseUrl && (await queryDatabase(config, text).catch(() => undefined))
  if (late === undefined || late === '') return { found: 'not asked for' }
  if (late === 0) return { found: 'no phone tells of Android 17 or later' }
  return {
    found: `${late} with Android 17 or later get texts with codes three hours late`,
    advice: 'Receive codes by a modem or a managed phone (docs/first-phone.md).',
  }
}

/** Names accounts that have to decide which members of a former directory stay. */
async function checkMembers(config: Config): Promise<Finding> {
  if (!(config.databaseUrl || hasCluster(config.dataDir))) return { found: 'not asked for' }
  const text = `select string_agg(email, ', ' order by email) from users where id in (
    select account from members where directory = '${FORMER_DIRECTORY}')`
  // fails for a database that no server of this version has opened
  const accounts = await queryDatabase(config, text).catch(() => undefined)
  if (accounts === undefined) return { found: 'not asked for' }
  if (!accounts)
    return { found: 'all were added by people, or by a directory that can remove them' }
  return {
    found: `a directory that is gone added members of ${accounts}`,
    advice: 'Let their owners keep or remove these members on the page Team (docs/team.md).',
  }
}

async function checkClock(config: Config): Promise<Finding> {
  const others: Record<string, number> = {}
  if (config.databaseUrl) {
    const epoch = 'select extract(epoch from clock_timestamp())::float8'
    const seconds = await queryDatabase(config, epoch).catch(() => undefined)
    if (seconds !== undefined) others.Postgres = Number(seconds) * 1000
  }
  const { date } = (await fetchHealth(config.publicUrl).catch(() => undefined)) ?? {}
  if (date) others[config.publicUrl] = date
  const now = Date.now()
  const late = Object.entries(others).find(([, time]) => Math.abs(time - now) > MOST_SKEW_MS)
  if (!late) return { found: new Date(now).toISOString() }
  const seconds = Math.round((late[1] - now) / 1000)
  return {
    found: `${late[0]} is ${Math.abs(seconds)} s ${seconds > 0 ? 'ahead' : 'behind'}`,
    advice: 'Let both machines ask a time server: timedatectl set-ntp true.',
  }
}

async function checkDisk(config: Config): Promise<Finding> {
  const room = await readDisk(config)
  if (!room) return { found: 'of DATABASE_URL: its own machine knows' }
  const warning = findDiskWarning(room)
  const found = `${(room.free / 2 ** 30).toFixed(1)} GiB free`
  return warning
    ? { found, advice: `Make room, or move DATA_DIR to another disk. ${warning}` }
    : { found }
}

async function checkPushes({ vapidSubject }: Config): Promise<Finding> {
  const found = `push services get the address ${vapidSubject}`
  if (isPublicSubject(vapidSubject)) return { found }
  return {
    found,
    advice: 'Set VAPID_SUBJECT=mailto:you@example.com: Apple refuses pushes without it.',
  }
}

/** The checks in their order. `Postgres` creates the folder that `disk` checks. */
const CHECKS: Readonly<Record<string, DoctorCheck>> = {
  port: checkPort,
  Postgres: checkPostgres,
  tables: checkTables,
  zones: checkZones,
  members: checkMembers,
  disk: checkDisk,
  clock: checkClock,
  phones: checkPhoneAccess,
  Android: checkAndroid,
  TLS: checkTls,
  pushes: checkPushes,
}

/** Runs a check. If it throws, that is a fault, too; a UserError says what to do. */
const runCheck = (check: DoctorCheck, config: Config): Promise<Finding> =>
  check(config).catch((error: Error) => {
    if (error instanceof UserError) return { found: 'cannot be used', advice: error.message }
    return {
      found: readErrorCause(error),
      advice: 'Correct the setting, or the rights on the folder.',
    }
  })

async function printChecks(): Promise<void> {
  const config = readConfig(process.env)
  let faults = 0
  for (const [name, check] of Object.entries(CHECKS)) {
    const { found, advice } = await runCheck(check, config)
    process.stdout.write(`${advice ? 'FAULT' : 'ok   '}  ${name.padEnd(8)}  ${found}\n`)
    if (advice) process.stdout.write(`${' '.repeat(17)}${advice}\n`)
    if (advice) faults++
  }
  process.exit(faults ? 1 : 0)
}

/**
 * `pocketsms doctor`: prints a line for each check. The exit code is 1 if there is a fault. With `--numbers`
 * it runs `repairAllNumbers` instead, with `--audit` `checkAudit`.
 */
export const doctorCommand = defineCommand({
  args: {
    numbers: {
      type: 'boolean',
      description: 'show the conversations of national numbers, which belong to an E.164 number',
      default: false,
    },
    apply: { type: 'boolean', description: 'with --numbers: join them', default: false },
    audit: {
      type: 'boolean',
      description: 'look for entries of the audit logs that are missing',
      default: false,
    },
  },
  async run({ args: { numbers, apply, audit } }) {
    if (apply && !numbers) throw new UserError('--apply needs --numbers.')
    if (audit && numbers) throw new UserError('--audit and --numbers need a call each.')
    if (audit) return (await import('./doctor-audit.ts')).checkAudit()
    if (!numbers) return printChecks()
    const { repairAllNumbers } = await import('./doctor-numbers.ts')
    await repairAllNumbers(apply)
  },
})
