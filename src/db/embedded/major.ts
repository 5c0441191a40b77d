import { globSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { UserError } from '../../errors.ts'
import type { Logger } from '../../log.ts'
import { readText } from './account-files.ts'
import { findPrograms, otherPrograms, PACKAGE, type Programs, packageFolder } from './programs.ts'

/** The newest npm package of each earlier major version, for users without its programs. */
const EARLIER: Readonly<Record<number, string>> = {
  15: '15.18.0-beta.17',
  16: '16.14.0-beta.17',
  17: '17.10.0-beta.17',
}

const minor = ({ version }: Programs) => Number(version.split('.')[1] ?? 0)
/** Whether pg_trgm, which indexes need, is installed with them. */
const isWhole = ({ bin }: Programs) => globSync('{,*/}pg_trgm.*', { cwd: join(bin, '../lib') }).length > 0

/**
 * The newest programs of the major version that made the cluster, of a new one those of findPrograms' major
 * version. Throws a UserError that says how to go on where only others are found.
 */
export function programsFor(folder: string, link: string, linkFolder: string, log: Logger): Programs {
  const preferred = findPrograms(linkFolder)
  const made = Number(readText(join(folder, 'PG_VERSION'))) || preferred.major
  const others = [...otherPrograms(linkFolder)].filter(({ major }) => major === made)
  const [fitting] = others.sort((a, b) => minor(b) - minor(a))
  if (made === preferred.major) {
    if (process.env.POSTGRES_BIN || !fitting || minor(fitting) === minor(preferred) || !isWhole(fitting))
      return preferred
    log.info(
      `Postgres ${fitting.version} of ${fitting.bin} runs the database: that of the npm package is ${preferred.version}.`,
    )
    return fitting
  }
  const wanted = `Postgres ${preferred.major}, which is in ${preferred.bin}${process.env.POSTGRES_BIN ? ' (POSTGRES_BIN)' : ''}`
  const move = `To move it to ${wanted}, stop the server, then: ${moveCommand(link, made, preferred, !fitting)}`
  if (!fitting)
    throw new UserError(
      `The database in ${link} was made by Postgres ${made}, of which no programs are here. Install it (Debian: apt-get install postgresql-${made}) or name the folder of its programs with POSTGRES_BIN, and start again.\n${move}`,
    )
  log.info(`The database in ${link} was made by Postgres ${made} and runs with ${fitting.bin}. ${move}`)
  return fitting
}

/** A shell command that works in any folder. The backup is written with the programs of `made`. */
function moveCommand(link: string, made: number, next: Programs, isMissing: boolean): string {
  const data = dirname(link)
  const [old, backup] = [`${link}-${made}`, join(data, `from-postgres-${made}.zip`)].map(quoted)
  const restoreBin = process.env.POSTGRES_BIN ? `POSTGRES_BIN=${quoted(next.bin)} ` : ''
  const pocketsms = `DATA_DIR=${quoted(data)} npx pocketsms`
  const programs = `${old}-programs`
  const version = isMissing && packageFolder() ? EARLIER[made] : undefined
  const bin = version ? `POSTGRES_BIN=${programs}/node_modules/${PACKAGE}/native/bin ` : ''
  return [
    ...(version ? [`npm install --ignore-scripts --prefix ${programs} ${PACKAGE}@${version}`] : []),
    `${bin}${pocketsms} backup --to ${backup}`,
    `mv ${quoted(link)} ${old}`,
    `${restoreBin}${pocketsms} restore --resume ${backup}`,
  ].join(' && ')
}

const quoted = (path: string) => (/^[\w./:@+-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`)
