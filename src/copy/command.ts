import { defineCommand } from 'citty'
import type { Config } from '../config.ts'
import { runProgramCommand, UserError } from '../errors.ts'
import type { Logger } from '../log.ts'
import { showProgress } from '../tools/progress.ts'
import { type Copied, checkSource, copyInstallation } from './copy.ts'
import { checkLocations, type DatabaseLocation, parseLocation } from './database-location.ts'

const place = (description: string) => ({ type: 'string', description, valueHint: 'URL|FOLDER' }) as const

/**
 * `pocketsms copy`: a whole installation into an empty database, from PGlite to Postgres, back, or between
 * two of a kind. `setting` is asked when the command runs: it may throw a UserError for a wrong environment.
 */
export const copyCommand = (setting: () => { config: Config; log: Logger }) =>
  defineCommand({
    meta: {
      name: 'copy',
      description:
        'Copy everything into an empty database: a Postgres (postgres://…) or a folder for PGlite. No server may run on either.',
    },
    args: {
      to: place('where to; it must be empty, or not there yet if it is a folder'),
      from: place("where from (default: the server's own, DATABASE_URL or DATA_DIR)"),
    },
    run: ({ args }) =>
      runProgramCommand(async () => {
        const { config, log } = setting()
        if (!args.to) throw new UserError('Where to? Give --to postgres://… or --to FOLDER.')
        const from = parseLocation(args.from || (config.databaseUrl ?? config.dataDir), config)
        const to = parseLocation(args.to, config)
        checkLocations(from, to)
        const copied = await copyPlaces(from, to, log)
        process.stdout.write(`${summary(from, to, copied)}\n`)
      }),
  })

async function copyPlaces(from: DatabaseLocation, to: DatabaseLocation, log: Logger): Promise<Copied> {
  const source = await from.open(log)
  try {
    await checkSource(source) // opening a folder makes a database there
    const target = await to.open(log)
    try {
      return await copyInstallation(source, target, showProgress(process.stderr))
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}

function summary(from: DatabaseLocation, to: DatabaseLocation, { tables, foreign }: Copied): string {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0)
  const filled = tables.filter((table) => table.rows > 0)
  const width = Math.max(...filled.map(({ name }) => name.length))
  return [
    `Copied ${from.label} to ${to.label}: ${tables.length} tables with ${rows} rows, the same on both sides.`,
    ...filled.map((table) => `  ${table.name.padEnd(width)} ${String(table.rows).padStart(9)}`),
    ...foreign.map((name) => `Left behind: the table ${name}, which is not of pocketsms.`),
    `Start the server with ${to.setting}. Start none on ${from.label} again: what waits would be sent twice.`,
  ].join('\n')
}
