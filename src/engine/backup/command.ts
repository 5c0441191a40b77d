import { createHash } from 'node:crypto'
import { createReadStream, statSync } from 'node:fs'
import { setPriority } from 'node:os'
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
import { onStopSignal } from '../../platform/tools/stop-signal.ts'
import { type BackupSummary, checkBackup } from './read-archive.ts'
import { type AfterRestore, type Restored, restoreBackup } from './restore.ts'
import { writeBackup } from './write.ts'
import { requireNewFile } from './write-new-file.ts'

/** Reads the settings when a command runs. Throws a UserError for an invalid environment. */
type Setting = () => { config: Config; log: Logger }

/** See nice(2). A backup multiplies the p99 latency of 16 senders by 1.7; with a niceness of 5 by 3.2. */
const NICENESS = 15

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
    },
    async run({ args }) {
      if (args.check) {
        if (args.to) throw new UserError('Use --check without --to.')
        const summary = await checkBackup(args.check)
        return printLine(
          `${args.check} is whole: ${describeOrigin(summary)}.\n${await describeBackup(args.check, summary)}`,
        )
      }
      const path = chooseBackupFile(args.to)
      const summary = await runBackup(setting(), path)
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
    },
    async run({ args: { file, resume } }) {
      const set = setting()
      // check the file first: opening the database creates a folder, even if the file is invalid
      await checkBackup(file)
      const options = { resume, afterRestore, progress: showProgress(process.stderr) }
      printLine(
        describeRestored(file, await withDatabase(set, (db) => restoreBackup(db, file, options))),
      )
    },
  })

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
  const options = { progress: showProgress(process.stderr), signal: stopped.signal }
  if (!config.databaseUrl && !hasCluster(config.dataDir))
    throw new UserError(`There is no pocketsms in the folder ${config.dataDir}.`)
  return withDatabase(set, (db) => writeBackup(db, path, options))
}

function chooseBackupFile(to: string | undefined): string {
  const isFolder = to === undefined || statSync(to, { throwIfNoEntry: false })?.isDirectory()
  if (!isFolder) return resolve(to!)
  const [day, time] = new Date().toISOString().replace(/[-:]/g, '').split(/[T.]/)
  return resolve(join(to ?? '.', `pocketsms-${day}-${time}.zip`))
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
