import { createHash } from 'node:crypto'
import { createReadStream, rmSync, statSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { setPriority, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { defineCommand } from 'citty'
import { UserError } from '../../platform/api-errors.ts'
import type { Config } from '../../platform/config.ts'
import { openDb } from '../../platform/db/connect-database.ts'
import { hasCluster } from '../../platform/db/embedded/cluster-location.ts'
import type { Db } from '../../platform/db/open.ts'
import type { Logger } from '../../platform/log.ts'
import { showProgress } from '../../platform/tools/progress.ts'
import { readText } from '../../platform/tools/read-named-file.ts'
import { onStopSignal } from '../../platform/tools/stop-signal.ts'
import { type BackupSummary, checkBackup } from './read-archive.ts'
import { type AfterRestore, type Restored, restoreBackup } from './restore.ts'
import { isFileSealed, requireIdentities, SEALED_ENDING, unsealFile } from './unseal-file.ts'
import { writeBackup } from './write.ts'
import { requireNewFile } from './write-new-file.ts'

/** Reads the settings when a command runs. Throws a UserError for an invalid environment. */
type Setting = () => { config: Config; log: Logger }

/** See nice(2). A backup multiplies the p99 latency of 16 senders by 1.7; with a niceness of 5 by 3.2. */
const NICENESS = 15

/** The argument of the two commands that read a backup. */
const IDENTITY = {
  type: 'string',
  description: 'of a sealed backup: the file with the secret key, as age-keygen wrote it',
  valueHint: 'KEYFILE',
} as const

const printLine = (line: string) => void process.stdout.write(`${line}\n`)

export const makeBackupCommand = (setting: Setting) =>
  defineCommand({
    args: {
      to: {
        type: 'string',
        description:
          'a new file, or a folder (default: pocketsms-YYYYMMDD-HHMMSS.zip, in UTC, here)',
        valueHint: 'FILE',
      },
      check: {
        type: 'string',
        description: 'instead: read a backup and compare its checksums',
        valueHint: 'FILE',
      },
      identity: IDENTITY,
    },
    async run({ args }) {
      if (args.identity && !args.check) throw new UserError('--identity needs --check.')
      if (args.check) {
        if (args.to) throw new UserError('Use --check without --to.')
        const summary = await withUnsealed(args.check, args.identity, checkBackup)
        return printLine(
          `${args.check} is whole: ${describeOrigin(summary)}.\n${await describeBackup(args.check, summary)}`,
        )
      }
      const set = setting()
      const isSealed = set.config.backupRecipients.length > 0
      const path = chooseBackupFile(args.to, isSealed ? SEALED_ENDING : '')
      // as when the command that prints the public key has failed
      if (!isSealed && path.endsWith(SEALED_ENDING))
        throw new UserError(
          `${path} would not be sealed, because BACKUP_RECIPIENTS is empty. Set it, or choose a name that does not end in ${SEALED_ENDING}.`,
        )
      const summary = await runBackup(set, path)
      printLine(`Wrote ${path}.\n${await describeBackup(path, summary)}`)
    },
  })

export const makeRestoreCommand = (setting: Setting, afterRestore: AfterRestore) =>
  defineCommand({
    args: {
      file: {
        type: 'positional',
        required: true,
        description: 'a file that `pocketsms backup` wrote',
      },
      resume: {
        type: 'boolean',
        default: false,
        description:
          'let messages that were unfinished go on, though some may have been sent since',
      },
      identity: IDENTITY,
    },
    async run({ args: { file, resume, identity } }) {
      const set = setting()
      const options = { resume, afterRestore, progress: showProgress(process.stderr) }
      const restored = await withUnsealed(file, identity, async (path) => {
        // check the file first: opening the database creates a folder, even if the file is invalid
        await checkBackup(path)
        return withDatabase(set, (db) => restoreBackup(db, path, options))
      })
      printLine(describeRestored(file, restored))
    },
  })

/** Runs `work` with a backup that can be read: a sealed one is opened into a temporary file. */
async function withUnsealed<T>(
  path: string,
  keyFile: string | undefined,
  work: (path: string) => Promise<T>,
): Promise<T> {
  if (!(await isFileSealed(path))) {
    if (keyFile)
      throw new UserError(
        `${path} is not sealed: everybody can read it. Without --identity, the command reads it.`,
      )
    return work(path)
  }
  if (!keyFile)
    throw new UserError(`${path} is sealed. Name the file of its key: --identity KEYFILE`)
  const identities = requireIdentities(readText(keyFile))
  const folder = await mkdtemp(join(tmpdir(), 'pocketsms-'))
  // nothing that can be read stays behind, not even if the command is stopped
  onStopSignal(() => {
    rmSync(folder, { recursive: true, force: true })
    process.exit(1)
  })
  try {
    const opened = join(folder, 'backup.zip')
    await unsealFile(path, identities, opened)
    return await work(opened)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function withDatabase<T>(
  { config, log }: ReturnType<Setting>,
  work: (db: Db) => Promise<T>,
): Promise<T> {
  const database = await openDb(config, log)
  try {
    return await work(database.forEverybody('command'))
  } finally {
    await database.close()
  }
}

async function runBackup(set: ReturnType<Setting>, path: string): Promise<BackupSummary> {
  const { config } = set
  requireNewFile(path)
  setPriority(NICENESS)
  const stopped = new AbortController()
  onStopSignal(() => stopped.abort(new UserError('Stopped. No backup was written.')))
  const options = {
    progress: showProgress(process.stderr),
    signal: stopped.signal,
    recipients: config.backupRecipients,
  }
  if (!config.databaseUrl && !hasCluster(config.dataDir))
    throw new UserError(`There is no pocketsms in the folder ${config.dataDir}.`)
  return withDatabase(set, (db) => writeBackup(db, path, options))
}

function chooseBackupFile(to: string | undefined, ending: string): string {
  const isFolder = to === undefined || statSync(to, { throwIfNoEntry: false })?.isDirectory()
  if (!isFolder) return resolve(to!)
  const [day, time] = new Date().toISOString().replace(/[-:]/g, '').split(/[T.]/)
  return resolve(join(to ?? '.', `pocketsms-${day}-${time}.zip${ending}`))
}

const countBackupRows = ({ tables }: BackupSummary) =>
  tables.reduce((sum, { rows }) => sum + rows, 0)
const describeOrigin = ({ createdAt, version }: BackupSummary) =>
  `made ${createdAt} by pocketsms ${version}`

async function describeBackup(path: string, summary: BackupSummary): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  const [tables, rows] = [summary.tables.length, countBackupRows(summary)]
  return `${summary.bytes} bytes, ${tables} tables with ${rows} rows.\nsha256 ${hash.digest('hex')}`
}

function describeRestored(file: string, restored: Restored): string {
  const { tables, ended, foreign } = restored
  return [
    `Restored ${file}, ${describeOrigin(restored)}: ${tables.length} tables with ${countBackupRows(restored)} rows.`,
    ...(ended > 0
      ? [
          `${ended} unfinished messages ended as failed, as they may have been sent since: see error_message.`,
        ]
      : []),
    ...foreign.map((name) => `Left out: the table ${name}, which is not of pocketsms.`),
    'Start the server. Start none on the database that the backup was made of.',
  ].join('\n')
}
